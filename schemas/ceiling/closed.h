// What a band opens and does not get: rules on paths and hosts that the operator's ceiling, or the band's own deny,
// closes. Pure.
#pragma once

#include <vector>

#include "schemas/address/ip_address.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"

namespace band {

// A rule of net, read or write of which the ceiling leaves nothing is PermissionDenied: nothing runs with less than it
// declares, and a script that finds its files missing or its host unknown does not say why. Of which it leaves a part,
// or which the band itself denies whole (that is how a band narrows what it includes), is a note for the ledger. A rule
// that is a private address, or `localhost`, is closed unless `allow_private` has some of it. Does not cover: commands,
// which say so themselves when they do not run.
Result<std::vector<LedgerEntry>> what_is_closed(const Rules& request, const Rules& ceiling,
                                                const std::vector<Cidr>& allow_private = {});

}  // namespace band
