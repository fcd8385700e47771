// The server uses the descriptor class of the shared code.
#pragma once

#include "schemas/core/fd.h"

namespace band::base {

using band::Fd;

}  // namespace band::base
