// Parses the options of a command line by the rules of getopt_long(3). The options end at the first operand. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/shell/reading.h"

namespace band::client {

struct OptionSyntax {
  std::string_view shorts;  // as for getopt(3): "k:s:v"; "e::" for a value that can only follow in the same word
  // Names separated by blanks, with the same `:` and `::` as in `shorts`: "kill-after: foreground eof::".
  std::string_view longs;
  bool numbers = false;  // `-5`, `--5` and `-+5` are options, too (nice)
};

struct GivenOption {
  std::string name;   // "-k"; "--kill-after", also if it was abbreviated to `--kill`
  std::string value;  // "" without a value
};

struct GivenOptions {
  std::vector<GivenOption> all;
  std::size_t behind = 1;  // the index of the first operand
  // An option that is unknown, lacks its value, or contains an expansion; the words after it were not read. "" if none.
  std::string unread;
};

// `from`: index of the first word that can be an option.
GivenOptions read_options(std::span<const ShellWord> words, const OptionSyntax& syntax, std::size_t from = 1);

}  // namespace band::client
