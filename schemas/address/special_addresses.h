// Special-purpose addresses, such as those of private networks. A rule for a host name (except `localhost`) does not
// allow the gateway, which makes the connections of scripts, to connect to such an address. The owner of the name
// chooses its addresses, and could otherwise make a script reach services that are intended only for this machine or
// for the local network. Pure.
//
// Does not cover: public addresses of this machine, which no table lists. The gateway tries to bind a socket to each
// address to find out whether the address belongs to this machine (server/gateway/addresses.h).
#pragma once

#include <string>

#include "schemas/address/ip_address.h"

namespace band {

// Returns the use of a special-purpose address: "private (RFC 1918)", "loopback", "a cloud's metadata service". Returns
// "" for an ordinary address. Special-purpose addresses are: the blocks of IANA's special-purpose registries that are
// not globally reachable, and the blocks whose addresses contain another address (IPv4-mapped, NAT64, 6to4, Teredo).
// The latter blocks are included because the network can deliver a connection to the contained address, with which no
// rule has been compared.
std::string special_use(const IpAddress& address);
// Returns the use that all addresses of the range have in common; "" if they have no common use.
std::string special_use(const Cidr& range);

// Returns whether this is the address of a cloud's metadata service, or an IPv6 address that contains such an address.
// A metadata service returns the machine's credentials to every process on the machine.
bool is_metadata(const IpAddress& address);

}  // namespace band
