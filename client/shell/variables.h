// Variables that have a value in every script. Pure.
#pragma once

#include <string_view>

namespace band::client {

// bash sets it or reads it itself (bash(1), "Shell Variables"), or band gives it to every sandbox (docs/skills.md, "The
// script"). No band declares such a name.
bool is_set_by_shell_or_band(std::string_view name);

}  // namespace band::client
