// Parses the first line of a script: `#!INTERPRETER [ARGUMENT]`, see execve(2), including the arguments of env(1).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/result.h"

namespace band::floor {

struct Shebang {
  std::string interpreter;  // an absolute path, or the name after `env`; empty: the file does not begin with `#!`
  std::vector<std::string> arguments;  // passed to the interpreter before the script's path
};

inline constexpr std::size_t kShebangBytes = 256;  // BINPRM_BUF_SIZE: the kernel reads only the first 256 bytes

// `head`: the whole file, or at least its first kShebangBytes bytes. As in the kernel, the rest of the line after the
// interpreter is one argument. If the line starts env, as in `env NAME` or `env -S NAME ARGUMENT...`, the result has
// NAME as interpreter, and the arguments that env(1) would pass. Returns an error when the line does not end within
// kShebangBytes bytes, when the path after `#!` is not absolute, or when the line uses other features of env.
Result<Shebang> parse_shebang(std::string_view head);

}  // namespace band::floor
