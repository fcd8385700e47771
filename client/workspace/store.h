// Writes checked files to the workspace: all are staged in temporary files in their directories, then renamed one by
// one.
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
  bool exists = false;          // state when it was examined:
  struct ::stat before = {};
  bool unchanged = false;
  std::optional<std::int64_t>
      modified_us;  // the file's new time; absent: the time of writing. Later times are replaced by now.
};

// A failure before the first existing file is replaced leaves neither new files nor directories; this
// includes a full disk. A change in the workspace since `before` is a Code::WriteConflict.
Status store(const Tree& workspace, const Temporaries& temporaries, const std::vector<StoreItem>& items);

}  // namespace band::client
