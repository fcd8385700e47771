// A connection outwards, to addresses that have been checked.
#pragma once

#include <optional>
#include <vector>

#include "schemas/ip_address.h"
#include "schemas/result.h"
#include "server/gateway/asio.h"

namespace band::gateway {

struct Dialled {
  Socket socket;
  IpAddress address;
};

// What the kernel may keep of one connection outwards for whoever does not read. Its own measure is megabytes, so that
// one far away is fast; hundreds of those would take what all of the machine has for TCP (tcp_mem, tcp(7)).
enum class Buffers { Kernels, Small };
inline constexpr int kWithKernelsBuffers = 16;  // of the connections of one execution

// One after the other, each for at most `timeout_ms`; at most eight. The error's text is for people: "Connection
// refused".
awaitable<Result<Dialled>> dial(asio::io_context& loop, const std::vector<IpAddress>& addresses, std::uint16_t port,
                                int timeout_ms, Buffers buffers);

}  // namespace band::gateway
