// The files that a write-back stages beside their places: how they are called, and what becomes of those that a killed
// write-back left.
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

// One write-back's hold on its workspace. A temporary file bears the workspace's tag in its name, and its writer holds
// a shared flock(2) on the workspace, which the kernel takes from it when it dies. Who gets the exclusive lock is
// alone: every temporary file with that tag is a dead one's.
class Temporaries {
 public:
  // Removes what killed write-backs left in the directories that `write` opens: at once what bears the tag, when nobody
  // else is writing back here; anybody's (a workspace within this one, a file system without locks) after an hour.
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
