// The addresses that represent host names in a sandbox: 198.18.0.0/15, reserved for benchmarks (RFC 2544) and not
// routed in the Internet. The constants are in host byte order.
//
// When a script looks up an allowed name, the gateway's resolver answers with one of these addresses
// (server/gateway/names.h). If the script connects to this address, the firewall redirects the connection to the
// gateway's relay (server/execution/network.h), which finds the name again by the address.
// 198.19.255.254 does not represent a name: it is the slot's own address (server/slot/network.h).
#pragma once

#include <cstdint>

namespace band::layout {

inline constexpr std::uint32_t kMadeUpNetwork = 0xc6120000;  // 198.18.0.0
inline constexpr std::uint8_t kMadeUpBits = 15;
inline constexpr std::uint32_t kFirstMadeUp = 0xc6120001;  // 198.18.0.1
inline constexpr std::uint32_t kLastMadeUp = 0xc613fffd;   // 198.19.255.253
inline constexpr std::uint32_t kSlotAddress = 0xc613fffe;  // 198.19.255.254

}  // namespace band::layout
