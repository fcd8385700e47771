// Variables that have a value in every script. Pure.
#pragma once

#include <string_view>

namespace band::client {

// Returns whether bash sets the name or uses it itself (bash(1), "Shell Variables"), or band sets it in every sandbox
// (docs/skills.md, "The script"). A band does not declare such names.
bool is_set_by_shell_or_band(std::string_view name);

}  // namespace band::client
