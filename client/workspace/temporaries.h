// The temporary files of a write-back: makes their names, and removes temporary files that a killed write-back left.
#pragma once

#include <sys/stat.h>

#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "client/host/tree.h"
#include "client/workspace/opening.h"
#include "schemas/core/fd.h"
#include "schemas/core/result.h"

namespace band::client {

// Represents one write-back into a workspace. The name of each temporary file contains a tag of the workspace, and the
// process that writes it holds a shared flock(2) on the workspace; the kernel releases this lock when the process
// exits. If a process gets the exclusive lock, no other process writes into this workspace. Therefore every temporary
// file with this tag is a leftover of an exited process.
class Temporaries {
 public:
  // Removes leftovers of killed write-backs from `directories`, into which this write-back writes, and from the nearest
  // directories in which `write` opens paths: the first 500 names, breadth first. So in a small
  // workspace every write-back removes all of them, and in a huge one no run waits for a walk through it. Files with
  // this workspace's tag are removed immediately if no other process writes into the workspace. All other temporary
  // files of band are removed if they were last modified more than one hour ago: for example those of a workspace
  // inside of this one, and those on a file system without locks.
  Temporaries(const Tree& workspace, const Opening& write, const std::set<std::string>& directories);

  Result<std::string> fresh_name() const;  // a random name with the tag; it may exist already
  const std::vector<std::string>& removed() const { return removed_; }  // paths of the removed leftovers

 private:
  void sweep(const Tree& workspace, const Opening& write, const std::set<std::string>& directories);
  // Removes the leftovers among the first `most` names of a directory, and returns the number of these names. Adds the
  // directories in it in which `write` may open paths to `ahead`, unless it is null.
  std::size_t sweep_directory(const Tree& workspace, const std::string& path, const Opening& write, std::size_t most,
                              std::deque<std::string>* ahead);
  bool is_dead(std::string_view name, const struct ::stat& status) const;

  Fd lock_;
  std::string tag_;
  bool alone_ = false;
  std::vector<std::string> removed_;
};

}  // namespace band::client
