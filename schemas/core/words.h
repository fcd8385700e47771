// Finds whole words in text.
#pragma once

#include <string_view>

namespace band {

// Returns whether `text` contains `word` as a whole: the characters before and after it are not letters, digits, `-` or
// `_`. With `dots`, a dot between letters or digits continues a word, too, as in names of hosts: "a.example" is not a
// word of "b.a.example". Returns false for an empty word.
bool contains_word(std::string_view text, std::string_view word, bool dots = false);

}  // namespace band
