// Connects to the destination of a script's connection: to the operator's address for the host (gateway.resolve);
// otherwise through the upstream proxy, if there is one and the host is not localhost; otherwise to the destination's
// address, or to an address from one lookup of the destination's name. All addresses of the lookup, and an address that
// the script chose, are checked (addresses.h) before the gateway connects. If the upstream proxy is used, the proxy
// looks up the name.
#pragma once

#include <string>
#include <variant>

#include "server/gateway/addresses.h"
#include "server/gateway/dial.h"
#include "server/gateway/first_words.h"
#include "server/gateway/services.h"

namespace band::gateway {

struct Unreachable {
  std::string why;  // "not found", "Connection refused"
};

awaitable<std::variant<Dialled, BadAddress, Unreachable>> reach(Services& services, const Destination& destination,
                                                                Buffers buffers);

}  // namespace band::gateway
