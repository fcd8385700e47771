// Finds whole words in text.
#pragma once

#include <string_view>

namespace band {

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Returns whether `text` contains `word` as a whole: the characters before and after it are not letters, digits, `-` or
// `_`. With `dots`, a dot between letters or digits continues a word, too, as in names of hosts: "b.a.example" does
// not contain the word "a.example". Returns false for an empty word.
bool contains_word(std::string_view text, std::string_view word, bool dots = false);

}  // namespace band
