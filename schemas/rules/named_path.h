// Classifies a path by its text only, without accessing the file. Pure.
#pragma once

#include <string_view>

namespace band {

// Returns whether a segment of the path or pattern begins with a dot; the segment `.` does not count, but `..` does.
// Files with such names often contain secrets, and wildcards of allow rules do not match such names.
bool has_hidden_name(std::string_view path);

// Returns whether the path is not an ordinary file of the workspace: a segment begins with a dot, or it is a path of
// the machine (`/x`), a path in a home directory (`~/x`), or the workspace itself. `band learn` and `band convert` do
// not use such a path as the default of a property, because a placeholder for the property (placeholders.h) would allow
// this file if the caller names no other file.
bool is_closed_path(std::string_view path);

}  // namespace band
