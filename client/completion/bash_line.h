// A command line as bash has it while somebody writes it: with quotes, and cut at the cursor. Nothing in it is
// expanded. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace band::client {

struct BashLine {
  std::vector<std::string> words;  // without quotes; the last one, which may be empty, is the one at the cursor
  std::string head;                // what of that one stands in front of the text that bash replaces
  char quote = 0;                  // ' or " when one is open where that text begins
};

// `line`: the command up to the cursor ($COMP_LINE, $COMP_POINT); `text`: its end, which bash replaces (the function's
// second argument).
BashLine read_bash_line(std::string_view line, std::string_view text);

// `word` in the place of the text: without the head, and quoted, so that bash reads the word itself and expands nothing
// of it.
std::string in_bash(const BashLine& line, std::string_view word);

}  // namespace band::client
