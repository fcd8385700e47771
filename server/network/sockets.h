// Where an execution's connections and questions arrive: the listening sockets of its relay and resolver, and the
// kernel's word on what was refused, in the network namespace of the slot.
//
// Promises: they are new for each execution, so that nothing that an earlier one had queued is ever heard;
// non-blocking, close-on-exec; the ports are privileged, so nobody of the slot's uid can have them, beside these or
// before. Does not cover: who may connect (the firewall), and what is said (the gateway).
#pragma once

#include <cstdint>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::network {

inline constexpr std::uint16_t kRelayPort = 1, kResolverPort = 53;  // of 127.0.0.1
inline constexpr std::uint16_t kRefusalGroup = 1;                   // of nfnetlink_log, one set a namespace

struct Sockets {
  base::Fd relay;         // TCP, listening; what it accepts may keep 1 MiB each way in the kernel
  base::Fd resolver_udp;  // 127.0.0.1 and not the wildcard: answers to redirected questions would come from elsewhere
  base::Fd resolver_tcp;
  base::Fd refusals;  // netlink: of each packet that was logged, the first 128 bytes; what nobody reads is dropped
};

// On the slot's thread.
Result<Sockets> open_sockets();

}  // namespace band::network
