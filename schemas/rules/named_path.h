// What the text of a path says about whose file it is, before anything looks for it. Pure.
#pragma once

#include <string_view>

namespace band {

// Has the path, or pattern, a name in it that begins with a dot? `.` is none, so that `./a` has none; `..` is one.
// People keep keys in such files, and wildcards do not match them.
bool has_hidden_name(std::string_view path);

// Is it no plain file of the workspace: has it a hidden name, is it of the machine (`/x`) or of a home (`~/x`), or the
// workspace itself? What a caller did not name himself opens no such path.
bool is_closed_path(std::string_view path);

}  // namespace band
