// Decides whether a denial can be the cause of a script's failure. A script can continue after a denial (`git push ||
// true`; a library that looks up a host and needs no answer), and fail later for another reason. Pure.
#pragma once

#include <vector>

#include "schemas/wire/wire.h"
#include "server/ledger/ledger.h"

namespace band::run {

// Returns the denial that is the likely cause: the first one that the script's log names, by the command or the host,
// or for the network by the text of a failed connection or lookup. If the log names none: the first one if the script
// has printed no reason of its own, that is, nothing to stderr, and, with the exit status 1, nothing to stdout.
// Programs of which the script is a wrapper end with other statuses, such as the 6 of curl. Otherwise null. `answer`
// must already have its logs.
const ledger::Ledger::Denied* cause_of_failure(const std::vector<ledger::Ledger::Denied>& denied, int status,
                                               const Answer& answer);

}  // namespace band::run
