// The options of a command line, as getopt_long(3) reads them where the first operand ends them. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/shell/reading.h"

namespace band::client {

struct OptionSyntax {
  std::string_view shorts;  // as for getopt(3): "k:s:v", "e::" for a value that only the same word can have
  std::string_view longs;   // names behind one another, marked in the same way: "kill-after: foreground eof::"
  bool numbers = false;     // `-5`, `--5` and `-+5` are options as well (nice)
};

struct GivenOption {
  std::string name;   // "-k"; "--kill-after", also of `--kill`
  std::string value;  // "" when there is none
};

struct GivenOptions {
  std::vector<GivenOption> all;
  std::size_t behind = 1;  // the index of the first operand
  std::string unread;      // an option that the syntax does not have, or that lacks its value; the rest was not read
};

// `from`: the index of the first word that can be an option.
GivenOptions read_options(std::span<const ShellWord> words, const OptionSyntax& syntax, std::size_t from = 1);

}  // namespace band::client
