// Checks lower-case hexadecimal digits, of which ids, hashes and nonces consist. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace band {

// Returns whether `text` has only lower-case hexadecimal digits; true for an empty text.
inline bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}
inline bool is_hex(std::string_view text, std::size_t digits) { return text.size() == digits && is_hex(text); }

}  // namespace band
