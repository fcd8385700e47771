// What a usage text says of a program's arguments: `usage: foo.py [-h] --name NAME [--count N] file...`, and lines of
// options below it. Pure. A text that does not name all arguments, or that is written for people alone, is unreadable.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "client/convert/argument.h"

namespace band::client {

struct OptionHelp {
  std::string metavar, help;
};

struct Usage {
  bool readable = false;                      // `arguments` are all that there are
  std::vector<Argument> arguments;            // in the order of the synopsis
  std::map<std::string, OptionHelp> options;  // by each spelling: "-n" and "--name"
};

// `text` is a docstring, a comment without its `#`, a here-document or the like; `file` the script's name ("foo.py").
// The first `usage:` in it counts.
Usage read_usage(std::string_view text, std::string_view file);

}  // namespace band::client
