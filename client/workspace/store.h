// Puts judged files into the workspace: all are staged beside their places first, then renamed into them one by one.
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
  std::string directory, name;  // the file's path, parted
  bool exists = false;          // as it was judged:
  struct ::stat before = {};
  bool unchanged = false;
  std::optional<std::int64_t> modified_us;  // for the file; absent: when it is written. A later time than now is now.
};

// What fails before the first old file is replaced leaves nothing behind, new files and directories included: so a full
// disk. A change on the caller's side since `before` is a Code::WriteConflict.
Status store(const Tree& workspace, const Temporaries& temporaries, const std::vector<StoreItem>& items);

}  // namespace band::client
