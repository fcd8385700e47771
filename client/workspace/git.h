// Directories that git takes for a repository although nothing in them is called `.git`. git reads the configuration of
// the repository that it is started in, and runs commands that are named there (core.fsmonitor at each `git status`).
#pragma once

#include <string_view>
#include <vector>

#include "client/host/tree.h"
#include "client/workspace/store.h"
#include "schemas/core/result.h"

namespace band::client {

// The names in one directory, as is_git_directory() of git's setup.c looks for them: `HEAD` (a file or a link) beside
// `objects` and `refs`, or beside `commondir`, a file that says where those two are. What the files hold is not looked
// at: a later answer can change it. As other file systems see names: `head` counts.
class GitNames {
 public:
  static bool counts(std::string_view name);
  void add(std::string_view name, bool is_directory);
  bool repository() const { return head_ && ((objects_ && refs_) || commondir_); }

 private:
  bool head_ = false, objects_ = false, refs_ = false, commondir_ = false;
};

// Is a directory that `items` are written to, or one above it in the workspace, a git repository, or will it be one
// with them? Looks at the disk as it is now. Directories above the workspace are not looked at: the caller has chosen
// the workspace, and a working tree inside a bare repository is an ordinary layout (`git worktree add`).
// Errors: Code::PermissionDenied.
Status check_git_directories(const Tree& tree, const std::vector<StoreItem>& items);

}  // namespace band::client
