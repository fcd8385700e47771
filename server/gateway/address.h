// Where the relay's names for these are, until it uses the contract's.
#pragma once

#include "schemas/special_addresses.h"

namespace band::gateway {
using band::is_metadata;
using band::special_use;
}  // namespace band::gateway
