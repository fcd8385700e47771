// A file of the caller's that gets other content, or is made: whole or not at all.
#pragma once

#include <string>

#include "schemas/core/result.h"

namespace band::client {

// Replaces the regular file at `path`, which is resolved, if its content still is `before`. Mode and, where the caller
// may set them, owner and group stay. Errors (Code::WriteConflict): the content is another one, the directory is not
// writable.
Status replace_file(const std::string& path, const std::string& before, const std::string& after);
// The same where no file is yet, with the mode that the caller's umask leaves of 0666. Errors (Code::WriteConflict):
// there is something of that name, the directory is not writable, or its file system has neither a rename that replaces
// nothing nor hard links (client/platform/files.h).
Status create_file(const std::string& path, const std::string& content);

}  // namespace band::client
