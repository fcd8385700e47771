// What an answer has in the place of a secret.
#pragma once

#include <string_view>

namespace band {

inline constexpr std::string_view kMasked = "[masked]";

}  // namespace band
