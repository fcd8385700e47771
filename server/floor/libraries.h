// Determines which shared libraries a program loads, by running the machine's dynamic linker. Use it only for programs
// that root installed, because `ld.so --list` maps the libraries of the program into a process that is not sandboxed.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::floor {

struct Libraries {
  // The dynamic linker that the program names, such as "/lib64/ld-linux-x86-64.so.2". Empty if the program is
  // statically linked or is a script.
  std::string interpreter;
  std::vector<std::string> files;  // absolute paths as the linker prints them
};

// Returns an error with ENOENT when the dynamic linker that the program names is not on this machine, and with ENOEXEC
// when this linker cannot load the program.
Result<Libraries> libraries_of(const std::string& program);

// Returns the libraries that modules of a program need. `interpreter`: the program's Libraries::interpreter. `modules`:
// paths of shared objects that the program may load at run time. Modules that cannot be loaded on this machine are left
// out, because the program cannot load them outside a sandbox either. Modules with a space or a colon in their path are
// left out, too.
std::vector<std::string> libraries_of_modules(const std::string& interpreter, const std::string& program,
                                              std::vector<std::string> modules);

}  // namespace band::floor
