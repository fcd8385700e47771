// One rule of an iptables table in the kernel's format (struct ipt_entry, its matches, its target).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

struct ipt_entry;

namespace band::firewall {

// IPv4 addresses with a common prefix.
struct Network {
  std::uint32_t address = 0;  // host order
  std::uint8_t prefix_bits = 0;
};

// The connection tracking state of a packet: -m conntrack --ctstate.
enum class Tracked {
  Anyhow,       // any state; the rule does not check it
  Redirected,   // DNAT: the connection's destination was rewritten
  Established,  // packets in both directions were accepted before
};

struct Jump {
  std::string to;  // the name of a chain, or a standard target such as ACCEPT
};
struct Reject {
  int with = 0;  // enum ipt_reject_with
};
struct Redirect {
  std::uint16_t port = 0;  // on 127.0.0.1
};
struct Log {
  std::uint16_t group = 0;  // group of nfnetlink_log; the kernel sends each packet to the group without delay
};

// What build_entry() encodes. A rule matches a packet when all members before `target` match. A member that is not set
// matches every packet.
struct RuleSpec {
  std::optional<uid_t> uid = {};  // -m owner --uid-owner
  // If true, the rule matches TCP resets that belong to no socket; only the kernel sends such resets. Leave `uid` and
  // `protocol` unset then.
  bool kernels_reset = false;
  std::uint16_t protocol = 0;  // IPPROTO_*, 0 for all
  std::optional<Network> destination = {};
  std::optional<std::uint16_t> destination_port = {};  // with IPPROTO_TCP or IPPROTO_UDP
  Tracked tracked = Tracked::Anyhow;
  std::variant<Jump, Reject, Redirect, Log> target = {};
};

// Returns the rule in the kernel's format, aligned for struct ipt_entry. Pure.
std::vector<std::uint64_t> build_entry(const RuleSpec& rule);

// Returns true when the kernel's entry `have` is equal to build_entry(rule), except for the packet and byte counters.
// Does not compare Jump::to: the caller compares Jump::to with the result of iptc_get_target().
bool same_entry(const ipt_entry* have, const RuleSpec& rule);

}  // namespace band::firewall
