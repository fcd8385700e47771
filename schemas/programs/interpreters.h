// The interpreters of script files, by the extension of a file's name.
#pragma once

#include <string_view>

namespace band {

// Returns the command that runs files with this extension: "python3" for "a/b.py", "awk -f" for "x.awk". Returns "" for
// any other name.
std::string_view interpreter_of_name(std::string_view path);

}  // namespace band
