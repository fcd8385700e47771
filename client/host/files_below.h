// Finds the files with one suffix in a directory tree. Links in the tree are untrusted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "client/host/tree.h"

namespace band::client {

// Returns the paths below `directory` with the suffix `ending`, sorted by name. Links that stay in the tree are
// followed. Each directory is listed once, even if several links point to it. At most `max_files` paths are returned,
// and at most 10,000 names are examined.
std::vector<std::string> files_below(const Tree& tree, const std::string& directory, std::string_view ending,
                                     std::size_t max_files);

}  // namespace band::client
