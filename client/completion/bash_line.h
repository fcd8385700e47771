// Parses a command line in the form in which bash passes it to completion: with quotes, and cut at the cursor. Expands
// nothing. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace band::client {

struct BashLine {
  std::vector<std::string> words;  // without quotes; the last one, possibly empty, is the word at the cursor
  std::string head;                // the part of that word before the text that bash replaces
  char quote = 0;                  // ' or " if a quote is open at the start of that text
};

// `line`: the command up to the cursor ($COMP_LINE, $COMP_POINT); `text`: the end of it, which bash replaces (the
// second argument of the completion function).
BashLine read_bash_line(std::string_view line, std::string_view text);

// Returns `word` as a replacement of the text: without the head, and quoted so that bash reads exactly this word and
// expands nothing.
std::string in_bash(const BashLine& line, std::string_view word);

}  // namespace band::client
