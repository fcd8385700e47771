// Replaces or creates a file of the caller atomically: writes a temporary file in the same directory, flushes it with
// fsync(2), and renames it. After a crash of the machine, the path names the complete old or the complete new file.
// Follows no link below the root of `tree`, also if another process makes one in the meantime.
#pragma once

#include <string>

#include "client/host/tree.h"
#include "schemas/core/result.h"

namespace band::client {

// Replaces the regular file `path` of the tree by a file with the content `after`, if its content still equals
// `before`. A change that another process makes after this comparison is lost. The new file gets the permission bits of
// the old file. It also gets the owner and group of the old file if the caller may set these. Errors
// (Code::WriteConflict; the old file is unchanged): the content differs from `before`; the file does not exist, is not
// regular, or its path has a link; the directory is not writable; the disk is full.
Status replace_file(const Tree& tree, const std::string& path, const std::string& before, const std::string& after);
// Creates a file with the mode 0666 without the bits of the caller's umask. Errors (Code::WriteConflict; nothing is
// created): the name already exists; the directory does not exist, its path has a link, or it is not writable; the disk
// is full; the file system supports neither a rename that fails if the new name exists nor hard links.
Status create_file(const Tree& tree, const std::string& path, const std::string& content);

}  // namespace band::client
