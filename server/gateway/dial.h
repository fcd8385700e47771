// Connects to addresses that the caller has checked (addresses.h). When such a connection is closed, or this process is
// killed, the kernel sends a reset. After end_in_order() (unacknowledged.h) the kernel sends no reset.
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

// Tries the addresses one after the other until a connection is made: at most eight addresses, each for at most
// `timeout_ms`. `buffers`: the sizes of the new socket's buffers (pump.h). The error text is human-readable:
// "Connection refused".
awaitable<Result<Dialled>> dial(asio::io_context& loop, const std::vector<IpAddress>& addresses, std::uint16_t port,
                                int timeout_ms, Buffers buffers);

}  // namespace band::gateway
