#include "server/gateway/names.h"

#include <algorithm>

#include "server/layout/made_up.h"

namespace band::gateway {

std::optional<IpAddress> Names::address_of(const std::string& name) {
  if (const auto known = addresses_.find(name); known != addresses_.end()) return IpAddress::v4(known->second);
  if (names_.size() >= std::min<std::size_t>(most_, layout::kLastMadeUp - layout::kFirstMadeUp + 1))
    return std::nullopt;
  const auto number = layout::kFirstMadeUp + static_cast<std::uint32_t>(names_.size());
  names_.push_back(&addresses_.emplace(name, number).first->first);
  return IpAddress::v4(number);
}

const std::string* Names::name_of(const IpAddress& address) const {
  if (!made_up(address) || address.v4_number() < layout::kFirstMadeUp) return nullptr;
  const std::size_t index = address.v4_number() - layout::kFirstMadeUp;
  return index < names_.size() ? names_[index] : nullptr;
}

bool Names::made_up(const IpAddress& address) {
  return Cidr{IpAddress::v4(layout::kMadeUpNetwork), layout::kMadeUpBits}.contains(address);
}

}  // namespace band::gateway
