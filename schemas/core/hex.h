// Lower-case hexadecimal digits, as band writes ids, hashes and nonces. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace band {

// Nothing but such digits? True of an empty text.
inline bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}
inline bool is_hex(std::string_view text, std::size_t digits) { return text.size() == digits && is_hex(text); }

}  // namespace band
