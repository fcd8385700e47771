// One rule of an iptables table, as the kernel takes it (struct ipt_entry, its matches, its target).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace band::firewall {

struct RuleSpec {
  std::optional<uid_t> uid = {};  // -m owner --uid-owner
  bool kernels_reset = false;     // or: a TCP reset of no socket at all, which only the kernel sends
  std::uint16_t protocol = 0;     // IPPROTO_*, 0 for all
  std::string jump = {};          // a chain's name or a standard target; or
  int reject_with = -1;           // enum ipt_reject_with: -j REJECT --reject-with
};

// Aligned for struct ipt_entry. Pure.
std::vector<std::uint64_t> build_entry(const RuleSpec& rule);

}  // namespace band::firewall
