// Sends requests to the kernel by netlink(7) and reads the acknowledgement of each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/result.h"

namespace band::base {

struct NetlinkRequest {
  std::uint16_t type = 0;
  std::uint16_t flags = 0;  // in addition to NLM_F_REQUEST and NLM_F_ACK
  std::string body = {};    // the fixed header of this type
  struct Attribute {
    std::uint16_t type = 0;
    std::string value;
  };
  std::vector<Attribute> attributes = {};
};

// Returns the bytes of a structure or number of the kernel's interface.
template <class T>
std::string bytes_of(const T& value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

// The socket must not be subscribed to other messages yet. Returns the kernel's error, with this layer and act.
Status netlink_ask(int socket, const NetlinkRequest& request, const char* layer, const std::string& doing);

}  // namespace band::base
