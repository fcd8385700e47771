// Paths that only root can change. All program files of the machine that a sandbox gets are found in this way:
// otherwise a user of the machine, or a script with a declared path, could put a program there.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::floor {

struct Link {
  std::string path;    // absolute; its parent directories are not links
  std::string target;  // absolute
};

struct TrustedPath {
  std::string path;         // the path with links in its parent directories resolved; may itself be a link
  std::string real;         // the path with all links resolved
  std::vector<Link> links;  // a chain, which begins at `path`
  unsigned mode = 0;        // st_mode of the file at `real`
};

// Follows an absolute path step by step. Root must own each file, directory and link in it, and no other user may write
// to it. The mode is checked, which includes the widest right of an access control list. Every user must be able to
// reach and read it: otherwise a copy would give access that the machine denies. Returns SandboxUnavailable with ENOENT
// or ENOTDIR when it does not exist, EPERM when others than root can change it, EACCES when not every user can read it.
Result<TrustedPath> follow_trusted(const std::string& path);

// Both absolute, or both not; without "." and "..".
bool is_at_or_below(const std::string& path, const std::string& directory);

}  // namespace band::floor
