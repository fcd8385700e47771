// Finds directories that git treats as a repository although they contain no `.git`. They are dangerous: git reads the
// configuration of the repository in which it is started, and runs commands that this configuration names
// (core.fsmonitor at each `git status`).
#pragma once

#include <string_view>
#include <vector>

#include "client/host/tree.h"
#include "client/workspace/store.h"
#include "schemas/core/result.h"

namespace band::client {

// Decides from the names of the entries of one directory whether the directory is a repository, by the rules of
// is_git_directory() in git's setup.c: it contains `HEAD` (a file or a link), and also either `objects` and `refs`, or
// the file `commondir`, which names the directory of `objects` and `refs`. The content of the files is ignored, because
// a later run can change it. Letter case is ignored (`head` counts), because some file systems ignore it.
class GitNames {
 public:
  static bool counts(std::string_view name);  // whether `name` is one of the four names
  void add(std::string_view name, bool is_directory);
  bool repository() const { return head_ && ((objects_ && refs_) || commondir_); }

 private:
  bool head_ = false, objects_ = false, refs_ = false, commondir_ = false;
};

// Checks the directories into which `items` are written, and their parent directories up to and including the workspace
// itself. Returns Code::PermissionDenied if one of them is a git repository, or would become one when the items are
// written, or cannot be listed. Uses the current state of the disk. Directories above the workspace are not checked:
// the caller has chosen the workspace, and a working tree inside a bare repository is a common layout (`git worktree
// add`).
Status check_git_directories(const Tree& tree, const std::vector<StoreItem>& items);

}  // namespace band::client
