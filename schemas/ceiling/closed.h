// Examines the allow and insist rules of a band for paths and hosts. Finds rules that have no effect, or only a part of
// their effect, because the operator's ceiling or a deny rule of the band denies what these rules allow. In the names
// here, such a rule is *closed*, completely or partly. Pure.
#pragma once

#include <vector>

#include "schemas/address/ip_address.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"

namespace band {

// Returns Code::PermissionDenied if the ceiling allows no part of what a rule of net, read or write allows. Without
// this error, the script would fail because of a missing file or an unknown host, and the reason would not be visible.
// Otherwise returns notes for the ledger: one for each rule that the ceiling allows only in part, and one for each rule
// that a deny rule of the band denies completely. The latter is not an error, because a band can use a deny rule to
// exclude a rule of an included band. A rule for private addresses or `localhost` is treated like a rule of which the
// ceiling allows no part, if none of its addresses is in `allow_private` (gateway.allow_private of server.yaml).
// Ignores the rules of cli: if a script starts a denied command, the command's shim prints the reason.
Result<std::vector<LedgerEntry>> what_is_closed(const Rules& request, const Rules& ceiling,
                                                const std::vector<Cidr>& allow_private = {});

}  // namespace band
