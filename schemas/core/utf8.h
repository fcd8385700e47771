// Strict UTF-8: overlong forms, surrogates and values above U+10FFFF are invalid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace band {

struct Utf8Char {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;  // if false, `bytes` is 1 and `code` is the value of the byte
};

// Returns the character at `at`, which must be less than text.size().
Utf8Char utf8_at(std::string_view text, std::size_t at);
bool is_valid_utf8(std::string_view text);
// Returns the number of bytes (0 to 3) at the end of `text` that are the beginning of an incomplete character.
std::size_t unfinished_utf8(std::string_view text);

}  // namespace band
