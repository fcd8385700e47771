// Which shared libraries a program loads, asked of the machine's own dynamic linker. For programs that root installed
// only: `ld.so --list` maps the program's libraries.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::floor {

struct Libraries {
  std::string interpreter;         // "/lib64/ld-linux-x86-64.so.2"; empty: static or a script
  std::vector<std::string> files;  // absolute paths as the linker names them
};

// ENOENT: the linker that the program names is not on this machine. ENOEXEC: the linker does not load the program.
Result<Libraries> libraries_of(const std::string& program);

// What shared objects that the program may load at run time need on top. Those that cannot be loaded on this machine
// are left out: the program would not get them outside a sandbox either.
std::vector<std::string> libraries_of_modules(const std::string& interpreter, const std::string& program,
                                              std::vector<std::string> modules);

}  // namespace band::floor
