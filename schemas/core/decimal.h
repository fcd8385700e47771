// Parses the decimal numbers in names, patterns and addresses. Pure.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace band {

// Returns nullopt if `text` is not a number, has a sign or a leading zero, or is above `max`.
inline std::optional<unsigned> parse_decimal(std::string_view text, unsigned max) {
  if (text.empty() || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number > max) return std::nullopt;
  return number;
}

}  // namespace band
