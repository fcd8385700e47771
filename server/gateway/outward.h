// Connects to the destination of a script's connection: at the operator's address for the host (gateway.resolve),
// through the upstream proxy, or at an address from one lookup. All addresses of the lookup are checked (addresses.h)
// before one of them is dialled.
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
