#include "server/firewall/entry.h"

#include <libiptc/libiptc.h>
#include <linux/netfilter/xt_owner.h>
#include <linux/netfilter/xt_tcpudp.h>
#include <linux/netfilter_ipv4/ipt_REJECT.h>

#include <netinet/in.h>

#include <cstring>

namespace band::firewall {
namespace {

constexpr std::uint8_t kRst = 0x04;  // RFC 9293, section 3.1

// One match: its header and data, appended to the entry's bytes.
template <class Info>
void append_match(std::string& bytes, const char* name, std::uint8_t revision, const Info& info) {
  std::string match(XT_ALIGN(sizeof(xt_entry_match)) + XT_ALIGN(sizeof info), '\0');
  xt_entry_match header{};
  header.u.match_size = static_cast<__u16>(match.size());
  header.u.user.revision = revision;
  std::strncpy(header.u.user.name, name, sizeof header.u.user.name - 1);
  std::memcpy(match.data(), &header, sizeof header);
  std::memcpy(match.data() + XT_ALIGN(sizeof(xt_entry_match)), &info, sizeof info);
  bytes += match;
}

std::string matches_of(const RuleSpec& rule) {
  std::string bytes;
  if (rule.kernels_reset) {
    xt_tcp reset{};
    reset.spts[1] = reset.dpts[1] = 0xffff;
    reset.flg_mask = reset.flg_cmp = kRst;
    append_match(bytes, "tcp", 0, reset);
  }
  if (!rule.uid && !rule.kernels_reset) return bytes;
  xt_owner_match_info owner{};
  owner.match = XT_OWNER_UID;
  if (rule.uid) {
    owner.uid_min = owner.uid_max = *rule.uid;
  } else {
    // "Not any uid": xt_owner's inverted match is what holds for packets without a socket. -1 is no uid.
    owner.uid_max = static_cast<__u32>(-2);
    owner.invert = XT_OWNER_UID;
  }
  append_match(bytes, "owner", 1, owner);
  return bytes;
}

std::size_t target_size(const RuleSpec& rule) {
  const std::size_t data = rule.reject_with >= 0 ? sizeof(ipt_reject_info) : sizeof(int);
  return XT_ALIGN(sizeof(xt_entry_target)) + XT_ALIGN(data);
}

void put_target(char* at, const RuleSpec& rule) {
  auto* target = reinterpret_cast<xt_entry_target*>(at);
  target->u.target_size = static_cast<__u16>(target_size(rule));
  // libiptc turns the name of a chain, or ACCEPT and DROP, into the kernel's verdict.
  const std::string& name = rule.reject_with >= 0 ? std::string("REJECT") : rule.jump;
  std::strncpy(target->u.user.name, name.c_str(), sizeof target->u.user.name - 1);
  if (rule.reject_with < 0) return;
  auto* info = reinterpret_cast<ipt_reject_info*>(at + XT_ALIGN(sizeof(xt_entry_target)));
  info->with = static_cast<ipt_reject_with>(rule.reject_with);
}

}  // namespace

std::vector<std::uint64_t> build_entry(const RuleSpec& rule) {
  const std::string matches = matches_of(rule);
  const std::size_t total = XT_ALIGN(sizeof(ipt_entry)) + matches.size() + target_size(rule);
  std::vector<std::uint64_t> memory(total / sizeof(std::uint64_t));
  auto* bytes = reinterpret_cast<char*>(memory.data());
  auto* entry = reinterpret_cast<ipt_entry*>(bytes);
  entry->ip.proto = rule.kernels_reset ? std::uint16_t{IPPROTO_TCP} : rule.protocol;
  entry->target_offset = static_cast<__u16>(XT_ALIGN(sizeof(ipt_entry)) + matches.size());
  entry->next_offset = static_cast<__u16>(total);
  std::memcpy(bytes + XT_ALIGN(sizeof(ipt_entry)), matches.data(), matches.size());
  put_target(bytes + entry->target_offset, rule);
  return memory;
}

}  // namespace band::firewall
