// Writes checked files to the workspace: first writes all files as temporary files, each in the directory of the file
// that it will replace, and then puts the temporary files in place one by one.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/host/tree.h"
#include "client/workspace/temporaries.h"
#include "client/workspace/workspace.h"

namespace band::client {

struct StoreItem {
  const ShippedFile* file = nullptr;
  std::string directory, name;  // the parts of the file's path
  // State of the file in the workspace when write_back() examined it. `unchanged`: it already has the content of
  // `file`.
  bool exists = false;
  struct ::stat before = {};
  bool unchanged = false;
  // The file's new modification time; absent: the current time. A time in the future is replaced by the current time.
  std::optional<std::int64_t> modified_us;
};

// Puts new files in place first, then replaces existing files, then flushes the directories to the disk. If an error
// occurs before the first replacement, store() removes all files and directories that it has created. A full disk is
// such an error, because all temporary files are written before. If an error occurs later, the files that have been
// written remain, and the error names them. On a file system without hard links, the first new file that was put in
// place counts as a replacement. If only the flush fails, all files are in place. Errors: Code::WriteConflict if a file
// was changed after it was examined (StoreItem::before), Code::LimitExceeded for a full disk, Code::PermissionDenied
// for all other errors.
Status store(const Tree& workspace, const Temporaries& temporaries, const std::vector<StoreItem>& items);

}  // namespace band::client
