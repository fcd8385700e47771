// The head of a script's plain HTTP request, parsed strictly and written again, so that a server cannot interpret the
// head in another way than the relay (relay.h, which checks and forwards the script's connections). Pure.
//
// Promise: for any accepted input, normalised() writes the head of one request for a path on one host, with at most one
// of Content-Length and Transfer-Encoding, and with `Connection: close`. Not covered: other headers that a server may
// use as the host (X-Forwarded-Host).
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

inline constexpr std::size_t kMaxHeadBytes = 64 << 10;  // servers accept 8 to 16 KiB, some more if configured
inline constexpr std::size_t kMaxHeaders = 200;         // Apache accepts 100

struct HttpRequest {
  std::string method;  // any token except CONNECT
  std::string target;  // as sent; begins with a slash, or is `*` (only with OPTIONS)
  int minor = 1;       // HTTP/1.`minor`
  std::string host;    // as sent, without the port; consists of letters, digits, dots, dashes and underscores
  std::optional<std::uint16_t> port;
  http1::BodyPlan body;
  std::vector<http1::Field> fields;  // the headers that normalised() copies

  std::string normalised() const;
};

// `first`: all bytes that the client has sent so far. Returns the size of the head at their beginning, or nullopt when
// more bytes are needed. A complete head ends with its empty line. A malformed or too large head ends with the byte at
// which the error was detected.
std::optional<std::size_t> head_bytes(std::string_view first);

// `head` has the size that head_bytes() returned. Returns Code::BadRequest (answer 400) for a malformed head. Returns
// Code::PermissionDenied (answer 403) when the request would reach another host or change the protocol (an absolute
// target, CONNECT, Upgrade). The texts of errors are escaped for terminals.
Result<HttpRequest> read_http_request(std::string_view head);

}  // namespace band::gateway
