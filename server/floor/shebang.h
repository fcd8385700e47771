// The first line of a script: `#!INTERPRETER [ARGUMENT]`, see execve(2), and what env(1) makes of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/result.h"

namespace band::floor {

struct Shebang {
  std::string interpreter;             // an absolute path, or after `env` a name; empty: no script
  std::vector<std::string> arguments;  // of the interpreter, before the script's path
};

inline constexpr std::size_t kShebangBytes = 256;  // BINPRM_BUF_SIZE: the kernel looks at no more

// `head` is the script's beginning. The kernel gives everything behind the interpreter as one argument; `env NAME` and
// `env -S NAME ARGUMENT...` are taken apart as env(1) would. An error when the line is cut off, names no absolute path,
// or asks env for more than that.
Result<Shebang> parse_shebang(std::string_view head);

}  // namespace band::floor
