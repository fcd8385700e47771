// The workspace copy: files of the caller in, files that the script made or changed out.
//
// Promises: what is written in exists with the mode it came with and belongs to the slot; what comes back is a regular
// file, opened without following a link, whose path the rules open for writing, whose content differs from what came
// in, and whose sizes together fit the limit.
// Does not cover: the caller's side, which checks all of it again (client/workspace).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"
#include "server/view/declared.h"

namespace band::view {

// Into an empty directory in which nothing hostile runs yet.
Status write_files(int directory, const std::vector<ShippedFile>& files, Who owner);

struct Changes {
  std::vector<ShippedFile> files;
  std::vector<std::string> not_written;  // changed, but not opened by write; at most 100 are named
};

// After every process of the execution is dead. More than `max_bytes` in all is LimitExceeded: a sparse file takes
// nothing of the tmpfs, but would take memory here.
Result<Changes> collect_changes(int directory, const std::vector<ShippedFile>& shipped, const Domain& write,
                                std::int64_t max_bytes, std::int64_t max_files);

// A file that the script left for the server (output.json): no link, a regular file, at most `max_bytes`; nothing
// blocks on a FIFO. Absent is ENOENT in the error.
Result<std::string> read_result(int directory, const std::string& name, std::int64_t max_bytes);

}  // namespace band::view
