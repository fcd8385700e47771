// Masking: in an answer, `[masked]` replaces the value of a secret. The content of files is not masked.
#pragma once

#include <cstddef>
#include <string_view>

namespace band {

inline constexpr std::string_view kMasked = "[masked]";
// The minimum size of a secret that is masked, in bytes: shorter values would match in ordinary text.
inline constexpr std::size_t kMaskedFrom = 8;

}  // namespace band
