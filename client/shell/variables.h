// Variables that have a value in every script, and that a band therefore does not declare. Pure.
#pragma once

#include <string_view>

namespace band::client {

// Returns true for a name that bash sets or uses (bash(1), "Shell Variables"), or that band sets in every sandbox
// (docs/skills.md, "The script").
bool is_set_by_shell_or_band(std::string_view name);

}  // namespace band::client
