// Paths that only root can change. band copies program files of the machine into sandboxes only from such paths.
// Otherwise, a user of the machine could replace a program that later runs in the sandboxes of other users. A script
// could replace the program, too, if a `write` rule of its band allows the path.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::floor {

struct Link {
  std::string path;    // absolute; none of its parent directories is a link
  std::string target;  // absolute
};

struct TrustedPath {
  std::string path;         // the path after resolving links in its parent directories; the last part may be a link
  std::string real;         // the path after resolving all links
  std::vector<Link> links;  // the chain of links from `path` to `real`; empty: `path` is not a link
  unsigned mode = 0;        // st_mode of the file at `real`
};

// Follows an absolute path step by step. Root must own each file, directory and link in the path, and no other user may
// write to these files and directories. (The check reads only the mode. This is sufficient also for a file with an
// access control list, because the group bits of the mode then include all rights that the list grants.) Every user
// must be able to reach and read the file: otherwise a copy of the file would give access that the machine denies.
// Returns SandboxUnavailable with ENOENT or ENOTDIR when the file does not exist, with EPERM when users other than root
// can change the path, and with EACCES when not every user can reach and read the file.
Result<TrustedPath> follow_trusted(const std::string& path);

// Checks the path of a configuration file: only root and the user of this process may be able to change the file at
// the absolute path, and the directories and links of the path. Unlike follow_trusted(), accepts directories that
// every user may write to if they have the sticky bit (/tmp), and files that not every user may read. Errors:
// Code::PermissionDenied names the first file or directory that others can change, and the command that corrects it;
// another error, with its errno, when the path cannot be examined.
Status check_own_path(const std::string& path);

// Returns true when `path` is `directory` or is below it. Both must be absolute, or both relative, without "." and
// "..".
bool is_at_or_below(const std::string& path, const std::string& directory);

}  // namespace band::floor
