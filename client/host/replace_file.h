// Replaces or creates a file of the caller atomically.
#pragma once

#include <string>

#include "schemas/core/result.h"

namespace band::client {

// Replaces the regular file at `path` if its content still equals `before`. `path` must not be a symbolic link. The new
// file has the mode of the old one, and its owner and group if the caller may set them. Errors (Code::WriteConflict):
// the content differs from `before`, the directory is not writable.
Status replace_file(const std::string& path, const std::string& before, const std::string& after);
// Creates a file with mode 0666 without the bits of the caller's umask. Errors (Code::WriteConflict): the name exists,
// the directory is not writable, or its file system supports neither a rename that never replaces a file nor hard links
// (client/platform/files.h).
Status create_file(const std::string& path, const std::string& content);

}  // namespace band::client
