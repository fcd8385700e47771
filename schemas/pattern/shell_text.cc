#include "schemas/pattern/shell_text.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "schemas/core/json_text.h"
#include "schemas/core/utf8.h"

namespace band {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("%+,-./:=@_").find(c) != std::string_view::npos;
}

// Returns one character in the form for $'...'.
std::string dollar_quoted(std::string_view bytes, const Utf8Char& character) {
  if (!character.valid) {
    char buffer[8];
    std::snprintf(buffer, sizeof buffer, "\\x%02x", static_cast<unsigned>(character.code));
    return buffer;
  }
  if (bytes == "'" || bytes == "\\") return "\\" + std::string(bytes);
  return escaped(bytes);
}

// Builds both forms of quoting at the same time, because the last character can decide which one is needed.
struct Word {
  std::string single, dollar;
  bool plain = true, needs_dollar = false, cut = false;

  std::size_t size() const { return needs_dollar ? dollar.size() : single.size(); }
};

Word read_word(std::string_view argument, std::size_t limit) {
  Word word;
  for (std::size_t at = 0; at < argument.size();) {
    const Utf8Char character = utf8_at(argument, at);
    const std::string_view bytes = argument.substr(at, character.bytes);
    const std::string dollar = dollar_quoted(bytes, character);
    if (word.size() + dollar.size() > limit) {
      word.cut = true;
      break;
    }
    word.plain = word.plain && bytes.size() == 1 && is_plain(bytes[0]);
    word.needs_dollar = word.needs_dollar || !character.valid || escaped(bytes) != bytes;
    word.dollar += dollar;
    word.single += bytes == "'" ? "'\\''" : bytes;
    at += character.bytes;
  }
  return word;
}

std::string quoted(std::string_view argument, std::size_t limit) {
  const Word word = read_word(argument, limit);
  const std::string tail = word.cut ? "..." : "";
  if (word.needs_dollar) return "$'" + word.dollar + "'" + tail;
  if (word.plain && !word.single.empty()) return word.single + tail;
  return "'" + word.single + "'" + tail;
}

}  // namespace

std::string quoted_word(std::string_view word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return std::string(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

std::string shell_text(std::span<const std::string> argv, std::size_t limit) {
  std::string text;
  for (const std::string& argument : argv) {
    if (text.size() >= limit) return text + " ...";
    if (!text.empty()) text += ' ';
    text += quoted(argument, limit - std::min(limit, text.size()));
  }
  return text;
}

}  // namespace band
