#include "server/gateway/names.h"

#include <algorithm>

namespace band::gateway {
namespace {

constexpr std::uint32_t kFirst = 0xc6120001;  // 198.18.0.1
constexpr std::uint32_t kLast = 0xc613fffd;   // 198.19.255.253; the next one is the slot's own (server/slot)

}  // namespace

std::optional<IpAddress> Names::address_of(const std::string& name) {
  if (const auto known = addresses_.find(name); known != addresses_.end()) return IpAddress::v4(known->second);
  if (names_.size() >= std::min<std::size_t>(most_, kLast - kFirst + 1)) return std::nullopt;
  const auto number = kFirst + static_cast<std::uint32_t>(names_.size());
  names_.push_back(&addresses_.emplace(name, number).first->first);
  return IpAddress::v4(number);
}

const std::string* Names::name_of(const IpAddress& address) const {
  if (!made_up(address) || address.v4_number() < kFirst) return nullptr;
  const std::size_t index = address.v4_number() - kFirst;
  return index < names_.size() ? names_[index] : nullptr;
}

bool Names::made_up(const IpAddress& address) { return !address.ipv6 && (address.v4_number() >> 17) == kFirst >> 17; }

}  // namespace band::gateway
