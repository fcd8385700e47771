// Helpers for the tests of ScreenFilter: the output of the filter for an input, and the sequences that restore the
// terminal.
#pragma once

#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "client/terminal/screen_filter.h"

namespace band::client {

inline std::string filtered(std::string_view bytes) { return ScreenFilter().feed(bytes); }

inline std::string restored(std::string_view bytes) {
  ScreenFilter filter;
  (void)filter.feed(bytes);
  return filter.restore();
}

// Makes ESC and other invisible bytes readable, for messages.
inline std::string shown(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    char buffer[8];
    std::snprintf(buffer, sizeof buffer, "\\x%02x", static_cast<unsigned char>(c));
    text += c == '\033' ? "ESC " : c >= 0x20 && c < 0x7F ? std::string(1, c) : buffer;
  }
  return text;
}

struct Row {
  std::string in, out;
};

inline void check(const std::vector<Row>& rows) {
  for (const Row& row : rows)
    CHECK_MESSAGE(filtered(row.in) == row.out, shown(row.in), " -> ", shown(filtered(row.in)));
}

inline void check_removed(const std::vector<std::string>& sequences) {
  for (const std::string& sequence : sequences)
    CHECK_MESSAGE(filtered("a" + sequence + "b") == "ab", shown(sequence), " -> ",
                  shown(filtered("a" + sequence + "b")));
}

inline void check_unchanged(const std::vector<std::string>& sequences) {
  for (const std::string& sequence : sequences)
    CHECK_MESSAGE(filtered(sequence) == sequence, shown(sequence), " -> ", shown(filtered(sequence)));
}

inline void check_restored(const std::vector<Row>& rows) {
  for (const Row& row : rows)
    CHECK_MESSAGE(restored(row.in) == row.out, shown(row.in), " -> ", shown(restored(row.in)));
}

}  // namespace band::client
