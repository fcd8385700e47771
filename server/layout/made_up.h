// The addresses that represent host names: 198.18.0.0/15, reserved for benchmarks (RFC 2544) and not routed in the
// Internet. The constants are in host byte order.
//
// When a script looks up an allowed name, it gets one of these addresses (server/gateway/names.h). If the script
// connects to this address, the firewall redirects the connection to the relay (server/execution/network.h).
// 198.19.255.254 is the slot's own address (server/slot/network.h).
#pragma once

#include <cstdint>

namespace band::layout {

inline constexpr std::uint32_t kMadeUpNetwork = 0xc6120000;  // 198.18.0.0
inline constexpr std::uint8_t kMadeUpBits = 15;
inline constexpr std::uint32_t kFirstMadeUp = 0xc6120001;  // 198.18.0.1
inline constexpr std::uint32_t kLastMadeUp = 0xc613fffd;   // 198.19.255.253
inline constexpr std::uint32_t kSlotAddress = 0xc613fffe;  // 198.19.255.254

}  // namespace band::layout
