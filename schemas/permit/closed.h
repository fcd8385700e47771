// Examines the allow and insist rules of a band for paths and hosts. Finds rules that have no effect, or only a part of
// their effect, because the operator's ceiling (the rules in server.yaml that bound every request) or a deny rule of
// the band denies what these rules allow. In the names here, such a rule is *closed*, completely or partly. Pure.
#pragma once

#include <vector>

#include "schemas/address/ip_address.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"

namespace band {

// Returns Code::PermissionDenied if the ceiling allows no part of what a rule of net, read or write allows. Without
// this error, the script would fail because of a missing file or an unknown host, and the reason would not be visible.
// Returns Code::BadRequest if the patterns are too many and too long to be compared. Otherwise returns at most 100
// notes for the ledger (the record of the run in the answer): one for each rule that the ceiling allows only in part,
// and one for each rule for a host or a path of the machine that a deny rule of the band denies completely. Such a deny
// rule is not an error, because a band can use it to exclude a rule of an included band. `allow_private` is
// gateway.allow_private of server.yaml. Code::PermissionDenied is also returned for a rule for private addresses or
// `localhost` if none of its addresses is in `allow_private`, and for a rule for the address of a metadata service,
// even if `allow_private` contains the address. Ignores the rules of cli: if a script starts a denied command, the
// command's shim prints the reason.
Result<std::vector<LedgerEntry>> what_is_closed(const Rules& request, const Rules& ceiling,
                                                const std::vector<Cidr>& allow_private = {});

}  // namespace band
