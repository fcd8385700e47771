#include "schemas/core/words.h"

namespace band {
namespace {

bool is_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool continues(char c) { return is_alphanumeric(c) || c == '-' || c == '_'; }

}  // namespace

bool contains_word(std::string_view text, std::string_view word, bool dots) {
  if (word.empty()) return false;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool before =
        at > 0 && (continues(text[at - 1]) || (dots && text[at - 1] == '.' && at > 1 && is_alphanumeric(text[at - 2])));
    const bool after =
        end < text.size() &&
        (continues(text[end]) || (dots && text[end] == '.' && end + 1 < text.size() && is_alphanumeric(text[end + 1])));
    if (!before && !after) return true;
  }
  return false;
}

}  // namespace band
