// The server uses the descriptor class Fd of schemas/core.
#pragma once

#include "schemas/core/fd.h"

namespace band::base {

using band::Fd;

}  // namespace band::base
