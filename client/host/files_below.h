// Finds the regular files with one suffix below a directory of a tree (client/host/tree.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "client/host/tree.h"

namespace band::client {

// Returns the paths of the regular files below `directory` with the suffix `ending`, in depth-first order; the names of
// each directory are sorted. `directory` and the returned paths are relative to `tree`. Links that point outside the
// tree are not followed, other links are. Each directory is listed once, even if several links point to it. Directories
// that cannot be listed are left out. At most `max_files` paths are returned, and at most 10,000 names are examined.
std::vector<std::string> files_below(const Tree& tree, const std::string& directory, std::string_view ending,
                                     std::size_t max_files);

}  // namespace band::client
