// The arguments of a Python program that reads `sys.argv` itself. Pure.
#pragma once

#include <vector>

#include "client/convert/argument.h"
#include "client/convert/python_tokens.h"

namespace band::client {

// `path = sys.argv[1]`, `count = int(sys.argv[2]) if len(sys.argv) > 2 else 10`: each with a name, from 1 on, and no
// other use.
ReadArguments read_argv(const std::vector<PythonToken>& tokens);

}  // namespace band::client
