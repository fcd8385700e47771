// The made-up addresses of one execution. When the script looks up an allowed name, the answer is a made-up address
// that stands for this name only. When the script then connects to the address, the relay (relay.h) finds the name by
// the address, checks the connection, and connects to the server with this name.
//
// The addresses begin at 198.18.0.1, one per name, in the order of the first lookups. No address is used for two names.
// Pure.
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

  // Returns the made-up address of `name`, which must be canonical. Assigns an address to a new name. Returns nullopt
  // for a new name when there are already `most` names.
  std::optional<IpAddress> address_of(const std::string& name);
  // Returns the name to which `address` was assigned, or nullptr.
  const std::string* name_of(const IpAddress& address) const;
  static bool made_up(const IpAddress& address);  // returns true for the addresses of 198.18.0.0/15

 private:
  std::size_t most_;
  std::map<std::string, std::uint32_t, std::less<>> addresses_;
  std::vector<const std::string*> names_;  // keys of the map
};

}  // namespace band::gateway
