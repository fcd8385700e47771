// Directories that git treats as a repository although they contain no `.git`. git reads the configuration of the
// repository in which it is started, and runs commands from it (core.fsmonitor at each `git status`).
#pragma once

#include <string_view>
#include <vector>

#include "client/host/tree.h"
#include "client/workspace/store.h"
#include "schemas/core/result.h"

namespace band::client {

// The names in one directory, as checked by is_git_directory() in git's setup.c: `HEAD` (a file or a link) together
// with `objects` and `refs`, or with `commondir`, a file that names the place of those two. The content of the files is
// ignored, because a later answer can change it. Names match as on other file systems: `head` counts.
class GitNames {
 public:
  static bool counts(std::string_view name);
  void add(std::string_view name, bool is_directory);
  bool repository() const { return head_ && ((objects_ && refs_) || commondir_); }

 private:
  bool head_ = false, objects_ = false, refs_ = false, commondir_ = false;
};

// Checks whether a directory of the workspace to which `items` are written, or a parent of one, is a git repository or
// would become one with them. Uses the current state of the disk. Directories above the workspace are not checked: the
// caller has chosen the workspace, and a working tree inside a bare repository is a common layout (`git worktree add`).
// Errors: Code::PermissionDenied.
Status check_git_directories(const Tree& tree, const std::vector<StoreItem>& items);

}  // namespace band::client
