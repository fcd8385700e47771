// The ids of a user of this machine, for a process that leaves root for them (privileges.h, become()).
#pragma once

#include <string>

#include "schemas/core/result.h"
#include "server/privileges/privileges.h"

namespace band::privileges {

// An error when there is no such user, or it is root.
Result<Ids> ids_of(const std::string& user);

}  // namespace band::privileges
