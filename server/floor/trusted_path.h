// Paths that only root can change. band copies program files of the machine into sandboxes only from such paths.
// If others could change such a path, a user of the machine could replace a program that later runs in the sandboxes of
// other users. A script could do the same if a `write` rule opens the path to it.
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
// write to any of these. (The check reads the mode. If there is an access control list, the group bits of the mode
// include all rights that the list grants to others.) Every user must be able to reach and read the file: otherwise a
// copy of the file would give access that the machine denies. Returns SandboxUnavailable with ENOENT or ENOTDIR when
// the file does not exist, with EPERM when users other than root can change the path, and with EACCES when not every
// user can read the file.
Result<TrustedPath> follow_trusted(const std::string& path);

// Both paths must be absolute, or both relative. Neither may contain "." or "..".
bool is_at_or_below(const std::string& path, const std::string& directory);

}  // namespace band::floor
