// Reads the arguments of a Python program that uses `sys.argv` directly. Pure.
#pragma once

#include <vector>

#include "client/convert/argument.h"
#include "client/convert/python_tokens.h"

namespace band::client {

// Supports `path = sys.argv[1]` and `count = int(sys.argv[2]) if len(sys.argv) > 2 else 10`: each index from 1 on must
// be assigned to a name. If the program uses `sys.argv` in any other way, no arguments are returned.
ReadArguments read_argv(const std::vector<PythonToken>& tokens);

}  // namespace band::client
