// The made-up addresses of one execution: the relay knows by them which name a connection is meant for.
//
// 198.18.0.1 upwards, one a name, in the order of the first lookups; none is used twice. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schemas/address/ip_address.h"

namespace band::gateway {

class Names {
 public:
  explicit Names(std::size_t most) : most_(most) {}

  // Of a canonical name. nullopt: there are `most` names already.
  std::optional<IpAddress> address_of(const std::string& name);
  // The name behind a made-up address that was given out.
  const std::string* name_of(const IpAddress& address) const;
  static bool made_up(const IpAddress& address);  // 198.18.0.0/15

 private:
  std::size_t most_;
  std::map<std::string, std::uint32_t, std::less<>> addresses_;
  std::vector<const std::string*> names_;  // keys of the map
};

}  // namespace band::gateway
