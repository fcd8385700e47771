// Files and directories of the workspace that a run may have missed.
#pragma once

#include "client/hints/finders.h"
#include "client/hints/tested.h"
#include "client/workspace/opening.h"

namespace band::client {

// Adds a hint for each path that was not sent and that the text of the program, its output, or a data file that was
// sent names. `writes`: the rules of `write`; files that they open are left out, because the script makes them.
void find_possible_files(const Tested& tested, const Opening& writes, const Inquiry& inquiry, Hints& hints);

}  // namespace band::client
