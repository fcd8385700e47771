// Addresses that are no place in the Internet: where a name leads to one of them, somebody wants the gateway to reach
// what only this machine or its network reaches. Pure.
//
// Not covered: addresses of this machine that are public (a socket that can be bound says so, not a table).
#pragma once

#include <string>

#include "schemas/address/ip_address.h"

namespace band {

// "" for an ordinary address, else what it is: "private (RFC 1918)", "loopback", "a cloud's metadata service". From
// IANA's special-purpose registries, beyond what they call not globally reachable: also what carries another address
// inside (IPv4-mapped, NAT64, 6to4, Teredo), which would have to be checked again by whoever unwraps it.
std::string special_use(const IpAddress& address);
// The same of a range, all of which is of one use; "" of one that holds others, too.
std::string special_use(const Cidr& range);

// Where clouds hand their machine's credentials to whoever asks from inside; also wrapped in an IPv6 address.
bool is_metadata(const IpAddress& address);

}  // namespace band
