// One rule of an iptables table, as the kernel takes it (struct ipt_entry, its matches, its target).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

struct ipt_entry;

namespace band::firewall {

// IPv4 addresses that begin with the same bits.
struct Network {
  std::uint32_t address = 0;  // host order
  std::uint8_t prefix_bits = 0;
};

// What connection tracking knows of a packet: -m conntrack --ctstate.
enum class Tracked {
  Anyhow,
  Redirected,   // DNAT: its connection goes somewhere else than its sender meant
  Established,  // its connection was let through in both directions
};

struct Jump {
  std::string to;  // a chain's name or a standard target
};
struct Reject {
  int with = 0;  // enum ipt_reject_with
};
struct Redirect {
  std::uint16_t port = 0;  // of 127.0.0.1
};
struct Log {
  std::uint16_t group = 0;  // of nfnetlink_log, whose listener is told at once
};

struct RuleSpec {
  std::optional<uid_t> uid = {};  // -m owner --uid-owner
  bool kernels_reset = false;     // or: a TCP reset of no socket at all, which only the kernel sends
  std::uint16_t protocol = 0;     // IPPROTO_*, 0 for all
  std::optional<Network> destination = {};
  std::optional<std::uint16_t> destination_port = {};  // with IPPROTO_TCP or IPPROTO_UDP
  Tracked tracked = Tracked::Anyhow;
  std::variant<Jump, Reject, Redirect, Log> target = {};
};

// Aligned for struct ipt_entry. Pure.
std::vector<std::uint64_t> build_entry(const RuleSpec& rule);

// Does the kernel's entry, which counts, say what was asked for? Where a Jump leads is not compared: libiptc knows
// (iptc_get_target).
bool same_entry(const ipt_entry* have, const RuleSpec& rule);

}  // namespace band::firewall
