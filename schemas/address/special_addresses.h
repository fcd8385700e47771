// Special-purpose addresses, which are not reachable on the public Internet. A host name that resolves to one can make
// the gateway connect to services that only this machine or its network reaches. Pure.
//
// Not covered: public addresses of this machine. No table lists them; a test whether a socket can be bound finds them.
#pragma once

#include <string>

#include "schemas/address/ip_address.h"

namespace band {

// Returns "" for an ordinary address, else its use: "private (RFC 1918)", "loopback", "a cloud's metadata service".
// Sources: the blocks of IANA's special-purpose registries that are not globally reachable, and also those whose
// addresses contain another address (IPv4-mapped, NAT64, 6to4, Teredo): the contained address would need its own check.
std::string special_use(const IpAddress& address);
// Returns the use that all addresses of the range share; "" if there is none.
std::string special_use(const Cidr& range);

// Returns whether this is the address of a cloud's metadata service, also embedded in an IPv6 address. Such a service
// returns the credentials of the machine to every process on it.
bool is_metadata(const IpAddress& address);

}  // namespace band
