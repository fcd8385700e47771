// A file of the caller's that gets other content: whole or not at all.
#pragma once

#include <string>

#include "schemas/core/result.h"

namespace band::client {

// Replaces the regular file at `path`, which is resolved, if its content still is `before`. Mode and, where the caller
// may set them, owner and group stay. Errors (Code::WriteConflict): the content is another one, the directory is not
// writable.
Status replace_file(const std::string& path, const std::string& before, const std::string& after);

}  // namespace band::client
