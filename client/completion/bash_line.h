// Parses a command line as bash passes it to a completion function: with quotes, and up to the cursor. Expands nothing.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace band::client {

struct BashLine {
  std::vector<std::string> words;  // without quotes; the last one is the word at the cursor and may be empty
  std::string head;                // the part of the word at the cursor that is before the text that bash replaces
  char quote = 0;                  // ' or " if the text that bash replaces begins inside of this quote; else 0
};

// `line`: the command line up to the cursor ($COMP_LINE, $COMP_POINT). `text`: the text at the end of `line` that bash
// replaces (the second argument of the completion function).
BashLine read_bash_line(std::string_view line, std::string_view text);

// Returns what bash must write in place of `text` (the argument of read_bash_line()) if the user chooses `word`: `word`
// without BashLine::head, quoted so that bash reads exactly this word and expands nothing. Returns "" when `word` does
// not begin with BashLine::head.
std::string in_bash(const BashLine& line, std::string_view word);

}  // namespace band::client
