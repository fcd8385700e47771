// Determines which shared libraries a program loads, by running the machine's dynamic linker. Only for programs that
// root installed, because `ld.so --list` maps the program's libraries.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::floor {

struct Libraries {
  std::string interpreter;         // "/lib64/ld-linux-x86-64.so.2"; empty: statically linked or a script
  std::vector<std::string> files;  // absolute paths as the linker prints them
};

// Errors: ENOENT when the linker that the program names is not on this machine; ENOEXEC when the linker does not load
// the program.
Result<Libraries> libraries_of(const std::string& program);

// Returns the further libraries that shared objects need which the program may load at run time (`modules`). Modules
// that cannot be loaded on this machine are left out: the program cannot load them outside a sandbox either.
std::vector<std::string> libraries_of_modules(const std::string& interpreter, const std::string& program,
                                              std::vector<std::string> modules);

}  // namespace band::floor
