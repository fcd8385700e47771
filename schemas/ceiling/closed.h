// Finds the rules on paths and hosts that a band opens and that the operator's ceiling or the band's own deny closes.
// Pure.
#pragma once

#include <vector>

#include "schemas/address/ip_address.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"

namespace band {

// Returns PermissionDenied for a rule of net, read or write that the ceiling closes completely: otherwise the script
// would fail with a missing file or an unknown host, without the reason. Returns a note for the ledger for each rule
// that the ceiling closes partly, or that the band itself denies completely (a band narrows an included band this way).
// A rule for a private address or `localhost` is closed unless `allow_private` overlaps it. Does not cover commands: a
// denied command reports the reason when the script starts it.
Result<std::vector<LedgerEntry>> what_is_closed(const Rules& request, const Rules& ceiling,
                                                const std::vector<Cidr>& allow_private = {});

}  // namespace band
