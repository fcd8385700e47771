// Files of one kind in a directory of a tree, whatever links a stranger put there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "client/host/tree.h"

namespace band::client {

// Paths below `directory` whose names end in `ending`, in the order of names. Links that stay in the tree are followed.
// A directory is listed once, however many links lead to it. At most `max_files` paths are returned, and at most 10,000
// names are looked at.
std::vector<std::string> files_below(const Tree& tree, const std::string& directory, std::string_view ending,
                                     std::size_t max_files);

}  // namespace band::client
