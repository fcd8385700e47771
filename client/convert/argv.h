// Reads the arguments of a Python program that uses `sys.argv` directly. Pure.
#pragma once

#include <vector>

#include "client/convert/argument.h"
#include "client/convert/python_tokens.h"

namespace band::client {

// Supports `path = sys.argv[1]` and `count = int(sys.argv[2]) if len(sys.argv) > 2 else 10`. Each index from 1 on must
// be assigned to a name, in ascending order and at most up to 20. If the program uses `sys.argv` in any other way,
// `why_not` has the reason, and there are no forms. If the program does not use `sys.argv`, `why_not` is "" and there
// are no forms.
ReadArguments read_argv(const std::vector<PythonToken>& tokens);

}  // namespace band::client
