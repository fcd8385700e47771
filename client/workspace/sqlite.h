// What SQLite keeps beside a database: the write-ahead log `X-wal` and the rollback journal `X-journal` of `X`. The
// next program that opens `X` plays them into it, whatever `X` is by then
// (https://www.sqlite.org/howtocorrupt.html, 1.4).
#pragma once

#include <vector>

#include "client/host/tree.h"
#include "client/workspace/store.h"
#include "schemas/core/result.h"
#include "schemas/wire/wire.h"

namespace band::client {

// Would a log of the old `X` stay beside a new one? `items` are what will be written, `files` the whole answer. Looks
// at the disk as it is now. A log that SQLite does not play (empty, or with its first bytes zeroed, as after
// `journal_mode=persist`) is nothing. Error: Code::WriteConflict.
Status check_sqlite_logs(const Tree& tree, const std::vector<StoreItem>& items, const std::vector<ShippedFile>& files);

}  // namespace band::client
