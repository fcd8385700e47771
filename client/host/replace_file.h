// Replaces or creates a file of the caller atomically.
#pragma once

#include <string>

#include "schemas/core/result.h"

namespace band::client {

// Replaces the regular file at `path` if its content still equals `before`. `path` must not be a symbolic
// link. Keeps mode and, where the caller may set them, owner and group. Errors (Code::WriteConflict): the content
// differs, the directory is not writable.
Status replace_file(const std::string& path, const std::string& before, const std::string& after);
// Creates a file with the mode that the caller's umask leaves of 0666. Errors (Code::WriteConflict): the name exists,
// the directory is not writable, or its file system supports neither a rename that never replaces a file nor hard links
// (client/platform/files.h).
Status create_file(const std::string& path, const std::string& content);

}  // namespace band::client
