// Keeps the files of a run out of the directories of band, and away from the files outside of them that band reads
// (client/host/own_directories.h).
#pragma once

#include <vector>

#include "client/host/tree.h"
#include "client/workspace/store.h"
#include "schemas/core/result.h"

namespace band::client {

// Returns Code::PermissionDenied if an item would be written into a directory of band, or would replace or create a
// file that band reads by a link in such a directory, or a BAND.md that an installed skill names. Also if this cannot
// be determined, except for a BAND.md that is named only by a file which cannot be parsed. Uses the current state of
// the disk.
Status check_own_directories(const Tree& tree, const std::vector<StoreItem>& items);

}  // namespace band::client
