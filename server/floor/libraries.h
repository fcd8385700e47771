// Which shared libraries a program loads, asked of the machine's own dynamic linker. For programs that root installed
// only: `ld.so --list` maps the program's libraries.
#pragma once

#include <string>
#include <vector>

#include "schemas/result.h"

namespace band::floor {

struct Libraries {
  std::string interpreter;         // "/lib64/ld-linux-x86-64.so.2"; empty: static or a script
  std::vector<std::string> files;  // absolute paths as the linker names them
};

Result<Libraries> libraries_of(const std::string& program);

}  // namespace band::floor
