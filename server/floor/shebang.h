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

// `head` is the beginning of the file. As in the kernel, the rest of the line after the interpreter is one argument. As
// in env(1), `env NAME` and `env -S NAME ARGUMENT...` are split into interpreter and arguments. Returns an error when
// the line is longer than kShebangBytes, when the path after `#!` is not absolute, or when the line uses other features
// of env.
Result<Shebang> parse_shebang(std::string_view head);

}  // namespace band::floor
