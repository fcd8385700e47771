#include "server/firewall/entry.h"

#include <libiptc/libiptc.h>
#include <linux/netfilter/xt_owner.h>
#include <linux/netfilter_ipv4/ipt_REJECT.h>

#include <cstring>

namespace band::firewall {
namespace {

constexpr std::size_t kMatchSize = XT_ALIGN(sizeof(xt_entry_match)) + XT_ALIGN(sizeof(xt_owner_match_info));

std::size_t target_size(const RuleSpec& rule) {
  const std::size_t data = rule.reject_with >= 0 ? sizeof(ipt_reject_info) : sizeof(int);
  return XT_ALIGN(sizeof(xt_entry_target)) + XT_ALIGN(data);
}

bool has_owner_match(const RuleSpec& rule) { return rule.uid || rule.ownerless; }

void put_owner(char* at, const RuleSpec& rule) {
  auto* match = reinterpret_cast<xt_entry_match*>(at);
  match->u.match_size = kMatchSize;
  match->u.user.revision = 1;  // xt_owner_match_info; revision 0 had no ranges
  std::strncpy(match->u.user.name, "owner", sizeof match->u.user.name - 1);
  auto* info = reinterpret_cast<xt_owner_match_info*>(at + XT_ALIGN(sizeof(xt_entry_match)));
  info->match = XT_OWNER_UID;
  if (rule.uid) {
    info->uid_min = info->uid_max = *rule.uid;
  } else {
    // "Not any uid": xt_owner's inverted match is what holds for packets without a socket. -1 is no uid.
    info->uid_max = static_cast<__u32>(-2);
    info->invert = XT_OWNER_UID;
  }
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
  const std::size_t matches = has_owner_match(rule) ? kMatchSize : 0;
  const std::size_t total = XT_ALIGN(sizeof(ipt_entry)) + matches + target_size(rule);
  std::vector<std::uint64_t> memory(total / sizeof(std::uint64_t));
  auto* bytes = reinterpret_cast<char*>(memory.data());
  auto* entry = reinterpret_cast<ipt_entry*>(bytes);
  entry->ip.proto = rule.protocol;
  entry->target_offset = static_cast<__u16>(XT_ALIGN(sizeof(ipt_entry)) + matches);
  entry->next_offset = static_cast<__u16>(total);
  if (has_owner_match(rule)) put_owner(bytes + XT_ALIGN(sizeof(ipt_entry)), rule);
  put_target(bytes + entry->target_offset, rule);
  return memory;
}

}  // namespace band::firewall
