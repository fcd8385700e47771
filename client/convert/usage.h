// Reads a program's arguments from its usage text: `usage: foo.py [-h] --name NAME [--count N] file...`, and the lines
// below it that describe the options. Pure. If the text does not name all arguments, or has another form,
// Usage::readable is false.
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
  bool readable = false;                      // `arguments` is complete
  std::vector<Argument> arguments;            // in the order of the synopsis
  std::map<std::string, OptionHelp> options;  // under each of its spellings: "-n" and "--name"
};

// `text`: a docstring, a comment without the `#`, a here-document, or strings that the program prints. `file`: the
// script's name ("foo.py"). Only the first `usage:` in the text is read.
Usage read_usage(std::string_view text, std::string_view file);

}  // namespace band::client
