// Finds runs of characters that need no escape in a JSON string (RFC 8259 section 7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace band {

// Returns whether `c` is an ASCII character that needs no escape.
constexpr bool is_plain(char c) { return static_cast<unsigned char>(c) - 0x20u < 0x60u && c != '"' && c != '\\'; }

// Returns the first position, not before `at`, of a character that is not plain; the size of `text` if there is none.
// Checks eight bytes in each step, because strings of megabytes (files in base64) are common.
inline std::size_t end_of_plain(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;
  const auto has_zero = [](std::uint64_t bytes) { return (bytes - kOnes) & ~bytes & kHighs; };
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    const std::uint64_t control = (bytes - kOnes * 0x20) & ~bytes;
    if (((bytes | control) & kHighs) != 0 || has_zero(bytes ^ (kOnes * '"')) != 0 ||
        has_zero(bytes ^ (kOnes * '\\')) != 0)
      break;
  }
  while (at < text.size() && is_plain(text[at])) ++at;
  return at;
}

}  // namespace band
