// The text that replaces the value of a secret in an answer.
#pragma once

#include <string_view>

namespace band {

inline constexpr std::string_view kMasked = "[masked]";

}  // namespace band
