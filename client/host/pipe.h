// A pipe that no program inherits which this one starts.
#pragma once

#include "schemas/core/fd.h"
#include "schemas/core/result.h"

namespace band::client {

struct Pipe {
  Fd read_end, write_end;
};

// Both ends are close-on-exec. pipe(2)
Result<Pipe> open_pipe();

}  // namespace band::client
