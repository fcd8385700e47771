// Decodes and checks the request of a shim: a script may have written every byte of it.
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
  std::string name;               // the shim's file name, without `/`
  std::string directory;          // absolute
  std::vector<std::string> argv;  // as the caller gave them, argv[0] included; any bytes but NUL
  std::vector<std::string> env;   // NAME=VALUE by convention; not checked
  std::uint64_t ignored = 0;
  std::uint32_t umask = 022;
  std::vector<int> descriptors;  // numbers, ascending
};

// Errors are Code::BadRequest. Call check_head() first: it bounds the sizes that read_request() accepts.
Status check_head(const shim::RequestHead& head);
std::size_t body_bytes(const shim::RequestHead& head);
Result<Request> read_request(const shim::RequestHead& head, std::string_view body);

}  // namespace band::broker
