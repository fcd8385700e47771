// SQLite's files next to a database `X`: the write-ahead log `X-wal` and the rollback journal `X-journal`. The next
// program that opens `X` applies them to it, even if `X` has been replaced
// (https://www.sqlite.org/howtocorrupt.html, 1.4).
#pragma once

#include <vector>

#include "client/host/tree.h"
#include "client/workspace/store.h"
#include "schemas/core/result.h"
#include "schemas/wire/wire.h"

namespace band::client {

// Checks whether a log of the old `X` would remain next to a new `X`. `items`: the files to write; `files`: the whole
// answer. Uses the current state of the disk. A log that SQLite ignores (empty, or with its first bytes zeroed, as
// after `journal_mode=persist`) does not count. Error: Code::WriteConflict.
Status check_sqlite_logs(const Tree& tree, const std::vector<StoreItem>& items, const std::vector<ShippedFile>& files);

}  // namespace band::client
