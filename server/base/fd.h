// Descriptors are what they are in the client, too.
#pragma once

#include "schemas/core/fd.h"

namespace band::base {

using band::Fd;

}  // namespace band::base
