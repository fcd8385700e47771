// Sends requests to the kernel by netlink(7) and reads the kernel's acknowledgement of each request.
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
  std::string body = {};    // the fixed header of this message type, as bytes (bytes_of())
  struct Attribute {
    std::uint16_t type = 0;
    std::string value;
  };
  std::vector<Attribute> attributes = {};
};

// Returns the bytes of `value`, a structure or number of the kernel's interface.
template <class T>
std::string bytes_of(const T& value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

// Sends the request and reads the acknowledgement. The next message on the socket must be the acknowledgement, so use a
// socket to which the kernel does not send other messages.
// When the kernel refuses the request, returns an error with the kernel's errno and these texts: `layer`, the name with
// which the message begins, such as "network"; `doing`, what could not be done.
Status netlink_ask(int socket, const NetlinkRequest& request, const char* layer, const std::string& doing);

}  // namespace band::base
