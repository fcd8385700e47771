// A pipe that no program inherits which this one starts.
#pragma once

#include "schemas/core/fd.h"
#include "schemas/core/result.h"

namespace band::client {

struct Pipe {
  Fd read_end, write_end;
};

// Both ends are close-on-exec. On macOS they become so after they are made: a program that another thread starts
// between the two calls has the ends, too. pipe(2)
Result<Pipe> open_pipe();

}  // namespace band::client
