// Classifies a path by its text only, without accessing the file. Pure.
#pragma once

#include <string_view>

namespace band {

// Returns whether a segment of the path or pattern begins with a dot. `.` does not count (`./a`), `..` does. Such files
// often contain keys, and wildcards do not match them.
bool has_hidden_name(std::string_view path);

// Returns whether the path is not an ordinary file of the workspace: it has a hidden name, is a path of the machine
// (`/x`) or of a home directory (`~/x`), or is the workspace itself. Only a caller's explicit rule opens such a path.
bool is_closed_path(std::string_view path);

}  // namespace band
