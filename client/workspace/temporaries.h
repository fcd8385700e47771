// The temporary files of a write-back: their names, and the removal of those that a killed write-back left.
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>
#include <vector>

#include "client/host/tree.h"
#include "client/workspace/opening.h"
#include "schemas/core/fd.h"
#include "schemas/core/result.h"

namespace band::client {

// Represents one write-back in its workspace. A temporary file has the workspace's tag in its name, and its writer
// holds a shared flock(2) on the workspace, which the kernel releases when the process exits. A process that gets the
// exclusive lock is the only writer, so every temporary file with that tag belongs to a dead one.
class Temporaries {
 public:
  // Removes leftovers of killed write-backs in the directories that `write` opens: files with this tag immediately if
  // there is no other write-back here; all others (from a workspace within this one, or a file system without locks)
  // after one hour.
  Temporaries(const Tree& workspace, const Opening& write);

  Result<std::string> fresh_name() const;
  const std::vector<std::string>& removed() const { return removed_; }  // paths

 private:
  void sweep(const Tree& workspace, const Opening& write);
  bool is_dead(std::string_view name, const struct ::stat& status) const;

  Fd lock_;
  std::string tag_;
  bool alone_ = false;
  std::vector<std::string> removed_;
};

}  // namespace band::client
