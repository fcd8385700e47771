// A connection outwards, to addresses that have been checked. Until end_in_order() its end is a reset, however it comes
// (unacknowledged.h).
#pragma once

#include <optional>
#include <vector>

#include "schemas/address/ip_address.h"
#include "schemas/core/result.h"
#include "server/gateway/asio.h"
#include "server/gateway/pump.h"

namespace band::gateway {

struct Dialled {
  Socket socket;
  IpAddress address;
};

// One after the other, each for at most `timeout_ms`; at most eight. The error's text is for people: "Connection
// refused".
awaitable<Result<Dialled>> dial(asio::io_context& loop, const std::vector<IpAddress>& addresses, std::uint16_t port,
                                int timeout_ms, Buffers buffers);

}  // namespace band::gateway
