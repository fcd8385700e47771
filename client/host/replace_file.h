// Replaces or creates a file of the caller atomically.
#pragma once

#include <string>

#include "schemas/core/result.h"

namespace band::client {

// Replaces the regular file at `path` if its content still equals `before`. `path` must not be a symbolic link. The new
// file gets the mode of the old file. It also gets the owner and group of the old file if the caller may set these.
// Errors (Code::WriteConflict): the content differs from `before`, the directory is not writable.
Status replace_file(const std::string& path, const std::string& before, const std::string& after);
// Creates a file with mode 0666 without the bits of the caller's umask. Errors (Code::WriteConflict): a file with this
// name exists; the directory is not writable; the file system has neither a rename that never replaces a file, nor hard
// links (client/platform/files.h).
Status create_file(const std::string& path, const std::string& content);

}  // namespace band::client
