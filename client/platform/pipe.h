// A pipe that child processes do not inherit.
#pragma once

#include "schemas/core/fd.h"
#include "schemas/core/result.h"

namespace band::client {

struct Pipe {
  Fd read_end, write_end;
};

// Both ends are close-on-exec. On macOS, fcntl(2) sets this flag after pipe(2): a program that another thread starts
// between these two calls inherits the ends. Error: Code::Internal.
Result<Pipe> open_pipe();

}  // namespace band::client
