// Special-purpose addresses: addresses that are not reachable on the public Internet. If the gateway connected to such
// an address because a host name resolves to it, a script could reach services that only this machine or its network
// can reach. Pure.
//
// Does not cover: public addresses of this machine. No table lists them; the gateway finds them by trying to bind a
// socket to the address (server/gateway/addresses.h).
#pragma once

#include <string>

#include "schemas/address/ip_address.h"

namespace band {

// Returns the use of a special-purpose address: "private (RFC 1918)", "loopback", "a cloud's metadata service". Returns
// "" for an ordinary address. Special-purpose are the blocks of IANA's special-purpose registries that are not globally
// reachable, and the blocks whose addresses contain another address (IPv4-mapped, NAT64, 6to4, Teredo), because the
// contained address is not checked.
std::string special_use(const IpAddress& address);
// Returns the use that all addresses of the range have in common, or "".
std::string special_use(const Cidr& range);

// Returns whether this is the address of a cloud's metadata service, or an IPv6 address that contains it. Such a
// service returns the credentials of the machine to every process on the machine.
bool is_metadata(const IpAddress& address);

}  // namespace band
