// From the name of a connection to a connection: the operator's word, the upstream proxy, or one lookup whose addresses
// are all checked; then the checked addresses are dialled, and no others.
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
