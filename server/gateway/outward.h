// Connects to the host of a connection: to the operator's address (gateway.resolve), through the upstream proxy, or to
// the result of one lookup. All addresses of the lookup are checked, and only checked addresses are dialled.
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
