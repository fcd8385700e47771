// UTF-8, strictly: no overlong form, no surrogate, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace band {

struct Utf8Char {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;  // false: `bytes` is 1 and `code` the raw byte
};

// The character at `at` (which must be inside `text`).
Utf8Char utf8_at(std::string_view text, std::size_t at);
bool is_valid_utf8(std::string_view text);
// How many bytes at the end of the text begin a character that is not complete: at most three.
std::size_t unfinished_utf8(std::string_view text);

}  // namespace band
