// Decodes the request of a shim, the program that runs in place of a declared command. Checks every field, because a
// script can also send a request without a shim.
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
  std::string name;               // file name of the shim; contains no `/`
  std::string directory;          // the working directory; absolute
  std::vector<std::string> argv;  // arguments from the caller, argv[0] included; all bytes except NUL are possible
  std::vector<std::string> env;   // usually NAME=VALUE; not checked
  std::uint64_t ignored = 0;      // a bit mask; if bit N-1 is set, the command starts with signal N ignored
  std::uint32_t umask = 022;
  std::vector<int> descriptors;  // the numbers that the passed descriptors have in the shim, ascending
};

// The errors are Code::BadRequest. Call check_head() first: it limits the sizes in the head, and the other two
// functions rely on these limits. body_bytes() returns the size of the body that follows the head. `body` must be the
// complete body.
Status check_head(const shim::RequestHead& head);
std::size_t body_bytes(const shim::RequestHead& head);
Result<Request> read_request(const shim::RequestHead& head, std::string_view body);

}  // namespace band::broker
