// The head of a plain HTTP request of the script's, read strictly and written anew, so that the relay and the server
// behind cannot read it in two ways. Pure.
//
// Promise: what normalised() writes is one request for a path on one host, with one framing of its body and
// `Connection: close`, whatever was read. Not covered: headers that a server takes for a host on its own account
// (X-Forwarded-Host).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/result.h"
#include "server/http1/body.h"
#include "server/http1/fields.h"

namespace band::gateway {

inline constexpr std::size_t kMaxHeadBytes = 64 << 10;  // servers take 8 to 16 KiB, some more when told to
inline constexpr std::size_t kMaxHeaders = 200;         // Apache takes 100

struct HttpRequest {
  std::string method;  // any token but CONNECT
  std::string target;  // begins with a slash, or `*`; as sent
  int minor = 1;       // of HTTP/1
  std::string host;    // as sent, without the port; letters, digits, dots, dashes and underscores, so far
  std::optional<std::uint16_t> port;
  http1::BodyPlan body;
  std::vector<http1::Field> fields;  // the others, without what is between the script and the relay alone

  std::string normalised() const;
};

// Where the head ends in what has come so far: behind its empty line, or where it is known that it is none. nullopt:
// not yet.
std::optional<std::size_t> head_bytes(std::string_view first);

// `head` as head_bytes() cut it. Code::BadRequest: what no server should take (answer 400). Code::PermissionDenied:
// HTTP that leads elsewhere: an absolute target, CONNECT, Upgrade (answer 403). The texts are harmless to a terminal.
Result<HttpRequest> read_http_request(std::string_view head);

}  // namespace band::gateway
