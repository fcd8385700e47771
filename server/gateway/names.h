// The made-up addresses of one execution, by which the relay finds the name that a connection is for.
//
// They begin at 198.18.0.1, one per name, in the order of the first lookups. No address is used for two names. Pure.
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

  // `name` is canonical. Returns nullopt for a new name when there are `most` names already.
  std::optional<IpAddress> address_of(const std::string& name);
  // The name of an assigned made-up address; nullptr: no name has it.
  const std::string* name_of(const IpAddress& address) const;
  static bool made_up(const IpAddress& address);  // 198.18.0.0/15

 private:
  std::size_t most_;
  std::map<std::string, std::uint32_t, std::less<>> addresses_;
  std::vector<const std::string*> names_;  // keys of the map
};

}  // namespace band::gateway
