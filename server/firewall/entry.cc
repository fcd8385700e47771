#include "server/firewall/entry.h"

#include <libiptc/libiptc.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/nf_nat.h>
#include <linux/netfilter/xt_NFLOG.h>
#include <linux/netfilter/xt_conntrack.h>
#include <linux/netfilter/xt_owner.h>
#include <linux/netfilter/xt_tcpudp.h>
#include <linux/netfilter_ipv4/ipt_REJECT.h>

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <string_view>

namespace band::firewall {
namespace {

constexpr std::uint8_t kRst = 0x04;  // RFC 9293, section 3.1

// Matches and targets have headers of the same layout.
static_assert(sizeof(xt_entry_match) == sizeof(xt_entry_target) &&
              offsetof(xt_entry_match, u.user.name) == offsetof(xt_entry_target, u.user.name) &&
              offsetof(xt_entry_match, u.user.revision) == offsetof(xt_entry_target, u.user.revision));
using Header = xt_entry_match;

// Returns a header followed by its data. The data is filled in place: a copied struct has undefined padding, and the
// kernel's entry is compared byte by byte.
template <class Info>
std::string extension(std::string_view name, std::uint8_t revision, const std::function<void(Info&)>& fill) {
  std::string bytes(XT_ALIGN(sizeof(Header)) + XT_ALIGN(sizeof(Info)), '\0');
  auto* header = reinterpret_cast<Header*>(bytes.data());
  header->u.match_size = static_cast<__u16>(bytes.size());
  header->u.user.revision = revision;
  std::memcpy(header->u.user.name, name.data(), std::min(name.size(), sizeof header->u.user.name - 1));
  fill(*reinterpret_cast<Info*>(bytes.data() + XT_ALIGN(sizeof(Header))));
  return bytes;
}

// `Info` is struct xt_tcp or struct xt_udp.
template <class Info>
void match_ports(Info& ports, std::optional<std::uint16_t> destination) {
  ports.spts[1] = 0xffff;
  ports.dpts[0] = destination.value_or(0);
  ports.dpts[1] = destination.value_or(0xffff);
}

std::string match_transport(const RuleSpec& rule) {
  if (rule.protocol == IPPROTO_UDP)
    return extension<xt_udp>("udp", 0, [&](xt_udp& udp) { match_ports(udp, rule.destination_port); });
  return extension<xt_tcp>("tcp", 0, [&](xt_tcp& tcp) {
    match_ports(tcp, rule.destination_port);
    if (rule.kernels_reset) tcp.flg_mask = tcp.flg_cmp = kRst;
  });
}

std::string match_owner(const std::optional<uid_t>& uid) {
  return extension<xt_owner_match_info>("owner", 1, [&](xt_owner_match_info& owner) {
    owner.match = XT_OWNER_UID;
    // "Not any uid": xt_owner's inverted match is true for packets without a socket. -1 is not a uid.
    owner.uid_min = uid.value_or(0);
    owner.uid_max = uid.value_or(static_cast<uid_t>(-2));
    if (!uid) owner.invert = XT_OWNER_UID;
  });
}

std::string match_tracked(Tracked tracked) {
  return extension<xt_conntrack_mtinfo3>("conntrack", 3, [&](xt_conntrack_mtinfo3& state) {
    state.match_flags = XT_CONNTRACK_STATE;
    state.state_mask =
        tracked == Tracked::Redirected ? XT_CONNTRACK_STATE_DNAT : XT_CONNTRACK_STATE_BIT(IP_CT_ESTABLISHED);
  });
}

std::string matches_of(const RuleSpec& rule) {
  std::string bytes;
  if (rule.kernels_reset || rule.destination_port) bytes += match_transport(rule);
  if (rule.uid || rule.kernels_reset) bytes += match_owner(rule.uid);
  if (rule.tracked != Tracked::Anyhow) bytes += match_tracked(rule.tracked);
  return bytes;
}

struct TargetOf {
  // libiptc turns the name of a chain, or ACCEPT and DROP, into the kernel's verdict.
  std::string operator()(const Jump& jump) const {
    return extension<int>(jump.to, 0, [](int&) {});
  }
  std::string operator()(const Reject& reject) const {
    return extension<ipt_reject_info>(
        "REJECT", 0, [&](ipt_reject_info& info) { info.with = static_cast<ipt_reject_with>(reject.with); });
  }
  std::string operator()(const Redirect& redirect) const {
    return extension<nf_nat_ipv4_multi_range_compat>("REDIRECT", 0, [&](nf_nat_ipv4_multi_range_compat& ranges) {
      ranges.rangesize = 1;
      ranges.range[0].flags = NF_NAT_RANGE_PROTO_SPECIFIED;
      ranges.range[0].min.all = ranges.range[0].max.all = htons(redirect.port);
    });
  }
  std::string operator()(const Log& log) const {
    return extension<xt_nflog_info>("NFLOG", 0, [&](xt_nflog_info& info) {
      info.group = log.group;
      info.threshold = 1;  // packets per message
    });
  }
};

// The kernel leaves arbitrary bytes after the end of a name.
bool same_extension(const Header* have, const Header* want) {
  return have->u.match_size == want->u.match_size && have->u.user.revision == want->u.user.revision &&
         std::strncmp(have->u.user.name, want->u.user.name, sizeof have->u.user.name) == 0 &&
         std::memcmp(have->data, want->data, want->u.match_size - sizeof(Header)) == 0;
}

}  // namespace

std::vector<std::uint64_t> build_entry(const RuleSpec& rule) {
  const std::string matches = matches_of(rule), target = std::visit(TargetOf{}, rule.target);
  const std::size_t total = XT_ALIGN(sizeof(ipt_entry)) + matches.size() + target.size();
  std::vector<std::uint64_t> memory(total / sizeof(std::uint64_t));
  auto* bytes = reinterpret_cast<char*>(memory.data());
  auto* entry = reinterpret_cast<ipt_entry*>(bytes);
  entry->ip.proto = rule.kernels_reset ? std::uint16_t{IPPROTO_TCP} : rule.protocol;
  if (rule.destination && rule.destination->prefix_bits > 0) {
    const std::uint32_t mask = ~std::uint32_t{0} << (32 - rule.destination->prefix_bits);
    entry->ip.dmsk.s_addr = htonl(mask);
    entry->ip.dst.s_addr = htonl(rule.destination->address & mask);
  }
  entry->target_offset = static_cast<__u16>(XT_ALIGN(sizeof(ipt_entry)) + matches.size());
  entry->next_offset = static_cast<__u16>(total);
  std::memcpy(bytes + XT_ALIGN(sizeof(ipt_entry)), matches.data(), matches.size());
  std::memcpy(bytes + entry->target_offset, target.data(), target.size());
  return memory;
}

bool same_entry(const ipt_entry* have, const RuleSpec& rule) {
  const auto built = build_entry(rule);
  const auto* want = reinterpret_cast<const ipt_entry*>(built.data());
  if (have->next_offset != want->next_offset || have->target_offset != want->target_offset) return false;
  if (std::memcmp(&have->ip, &want->ip, sizeof have->ip) != 0) return false;
  const bool verdict = std::holds_alternative<Jump>(rule.target);
  const std::size_t end = verdict ? want->target_offset : want->next_offset;
  for (std::size_t at = XT_ALIGN(sizeof(ipt_entry)); at < end;) {
    const auto* ours = reinterpret_cast<const Header*>(reinterpret_cast<const char*>(want) + at);
    if (!same_extension(reinterpret_cast<const Header*>(reinterpret_cast<const char*>(have) + at), ours)) return false;
    at += ours->u.match_size;
  }
  return true;
}

}  // namespace band::firewall
