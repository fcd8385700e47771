// Reads the arguments of a Python program that uses `sys.argv` directly. Pure.
#pragma once

#include <vector>

#include "client/convert/argument.h"
#include "client/convert/python_tokens.h"

namespace band::client {

// Supports `path = sys.argv[1]` and `count = int(sys.argv[2]) if len(sys.argv) > 2 else 10`. The first use of each
// index must be such an assignment, in the order 1, 2, 3 ..., at most up to 20. If the program uses `sys.argv` in any
// other way, `why_not` has the reason, and there are no forms. If the program does not use `sys.argv`, `why_not` is ""
// and there are no forms.
ReadArguments read_argv(const std::vector<PythonToken>& tokens);

}  // namespace band::client
