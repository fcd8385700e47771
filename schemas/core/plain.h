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
// Checks 16 bytes in each step, because strings of megabytes (files in base64) are common. GCC and clang compile the
// vectors to SSE2 or NEON.
inline std::size_t end_of_plain(std::string_view text, std::size_t at) {
  using Bytes = unsigned char __attribute__((vector_size(16)));
  for (; at + sizeof(Bytes) <= text.size(); at += sizeof(Bytes)) {
    Bytes bytes;
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    const auto other = (bytes - 0x20 >= 0x60) | (bytes == '"') | (bytes == '\\');
    std::uint64_t halves[2];
    std::memcpy(halves, &other, sizeof halves);
    if ((halves[0] | halves[1]) != 0) break;
  }
  while (at < text.size() && is_plain(text[at])) ++at;
  return at;
}

}  // namespace band
