// Reads a program's arguments from its usage text: the synopsis `usage: foo.py [-h] --name NAME [--count N] file...`,
// and the lines below it that describe the options. Pure. If the synopsis does not name all arguments (`[OPTIONS]`), or
// has another form, Usage::readable is false.
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
  bool readable = false;            // `arguments` is complete
  std::vector<Argument> arguments;  // in the order of the synopsis
  // The descriptions of the options, under each spelling: "-n" and "--name". Also set if `readable` is false.
  std::map<std::string, OptionHelp> options;
};

// `text`: a docstring, a comment without the `#`, a here-document, or strings that the program prints. `file`: the
// script's name ("foo.py"). Only the first `usage:` in the text is read.
Usage read_usage(std::string_view text, std::string_view file);

}  // namespace band::client
