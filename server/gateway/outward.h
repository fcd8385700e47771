// Connects to the destination of a script's connection, by the first of these ways that applies:
//   1. to the operator's address for the destination's name (gateway.resolve). The address can be private;
//      closed_address() (addresses.h) can still deny it
//   2. through the upstream proxy (gateway.upstream_proxy), unless the destination is localhost; the proxy looks up the
//      destination's name
//   3. to the destination's address, or to an address from one lookup of the destination's name.
// In way 3, all addresses of the lookup are checked (addresses.h) before the gateway connects. In ways 2 and 3, if the
// destination is an address and not a name, this address is checked in the same way.
#pragma once

#include <string>
#include <variant>

#include "server/gateway/addresses.h"
#include "server/gateway/dial.h"
#include "server/gateway/first_bytes.h"
#include "server/gateway/services.h"

namespace band::gateway {

struct Unreachable {
  std::string why;  // "not found", "Connection refused"
};

// Returns the connected socket; in way 2, Dialled::address is an address of the proxy. Returns BadAddress when an
// address is denied, and Unreachable when the lookup or the connection failed.
awaitable<std::variant<Dialled, BadAddress, Unreachable>> reach(Services& services, const Destination& destination,
                                                                Buffers buffers);

}  // namespace band::gateway
