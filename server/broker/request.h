// What a shim asks, checked: every byte of it may be the script's own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/result.h"
#include "server/shim/protocol.h"

namespace band::broker {

struct Request {
  shim::Mode mode = shim::Mode::Run;
  std::string name;               // of the shim: a file name
  std::string directory;          // absolute
  std::vector<std::string> argv;  // as the caller gave them, argv[0] included; any bytes but NUL
  std::vector<std::string> env;   // NAME=VALUE, or whatever the caller put there
  std::uint64_t ignored = 0;
  std::uint32_t umask = 022;
  std::vector<int> descriptors;  // their numbers, ascending
};

// Errors are Code::BadRequest. check_head() comes first: it bounds what read_request() may be given.
Status check_head(const shim::RequestHead& head);
std::size_t body_bytes(const shim::RequestHead& head);
Result<Request> read_request(const shim::RequestHead& head, std::string_view body);

}  // namespace band::broker
