// The ids of a user of this machine. A process that runs as root changes to these ids with become() (privileges.h).
#pragma once

#include <string>

#include "schemas/core/result.h"
#include "server/privileges/privileges.h"

namespace band::privileges {

// Returns an error when the user does not exist or is root.
Result<Ids> ids_of(const std::string& user);

}  // namespace band::privileges
