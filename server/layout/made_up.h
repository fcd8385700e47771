// The addresses that stand for host names: 198.18.0.0/15, for benchmarks (RFC 2544) and no place in the Internet. Host
// order.
//
// Who looks a name up in a slot is given one (server/gateway/names.h), the firewall turns what goes there to the relay
// (server/execution/network.h), and the last one is the slot's own (server/slot/network.h).
#pragma once

#include <cstdint>

namespace band::layout {

inline constexpr std::uint32_t kMadeUpNetwork = 0xc6120000;  // 198.18.0.0
inline constexpr std::uint8_t kMadeUpBits = 15;
inline constexpr std::uint32_t kFirstMadeUp = 0xc6120001;  // 198.18.0.1
inline constexpr std::uint32_t kLastMadeUp = 0xc613fffd;   // 198.19.255.253
inline constexpr std::uint32_t kSlotAddress = 0xc613fffe;  // 198.19.255.254

}  // namespace band::layout
