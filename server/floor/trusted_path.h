// Paths that root alone decides about. What a sandbox gets of the machine's programs is found this way only: else a
// user of the machine, or a script with a declared path, could put a program there.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::floor {

struct Link {
  std::string path;    // absolute; the directories on the way are no links
  std::string target;  // absolute
};

struct TrustedPath {
  std::string path;         // where it is found: the directories on the way resolved, itself perhaps a link
  std::string real;         // what is there, all links resolved
  std::vector<Link> links;  // of which each leads to the next, the first at `path`
  unsigned mode = 0;        // st_mode of what is there
};

// Follows an absolute path step by step. Each file, directory and link on the way must belong to root, and nobody else
// may write to it: by its mode, which holds an access control list's widest right, too. And everybody must be able to
// reach and read it: a copy would else be more than the machine gives. SandboxUnavailable with ENOENT or ENOTDIR when
// it is not there, EPERM when it is not root's alone, EACCES when it is not for everybody.
Result<TrustedPath> follow_trusted(const std::string& path);

// Both absolute, or both not; without "." and "..".
bool is_at_or_below(const std::string& path, const std::string& directory);

}  // namespace band::floor
