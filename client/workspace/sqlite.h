// Prevents a write-back from damaging a SQLite database `X`. SQLite keeps logs next to `X`: the write-ahead log `X-wal`
// and the rollback journal `X-journal`. The next program that opens `X` applies these logs to it, even if `X` was
// replaced in the meantime (https://www.sqlite.org/howtocorrupt.html, 1.4).
#pragma once

#include <vector>

#include "client/host/tree.h"
#include "client/workspace/store.h"
#include "schemas/core/result.h"
#include "schemas/wire/wire.h"

namespace band::client {

// Returns an error (Code::WriteConflict) if `items` contain a file `X`, and the workspace has a log of `X` that is not
// in `files`: this log would remain next to the new `X`. `items`: the files to write; `files`: all files of the answer.
// Uses the current state of the disk. Ignores logs that SQLite ignores: those that do not begin with the magic bytes of
// a log, for example empty logs, and logs that begin with zero bytes (as after `journal_mode=persist`).
Status check_sqlite_logs(const Tree& tree, const std::vector<StoreItem>& items, const std::vector<ShippedFile>& files);

}  // namespace band::client
