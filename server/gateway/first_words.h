// Reads and checks the first bytes of a client on a connection, before any byte is forwarded.
//
// Promises: TLS is forwarded only if its SNI is the name that the connection is for and no part of the hello is
// encrypted. HTTP is forwarded only if its Host is that name, one request per connection. Any other protocol is
// forwarded only if a rule names the port. At most 64 KiB are kept. Does not cover: Host and everything else inside
// TLS.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "schemas/rules/net_rules.h"
#include "server/gateway/asio.h"
#include "server/gateway/client_hello.h"
#include "server/gateway/http_body.h"
#include "server/gateway/http_head.h"
#include "server/gateway/recognise.h"

namespace band::gateway {

// The host and port that a connection is for.
struct Destination {
  NetHost host;
  std::uint16_t port = 0;
  bool other_protocols = false;  // protocols other than TLS and HTTP are allowed; the server may send first

  std::string text() const { return host.text_with_port(port); }
};

struct Spoken {
  Kind kind = Kind::Other;       // Other: also a client that sent EOF and no data
  std::string bytes;             // to forward in place of the bytes read
  std::optional<HttpBody> body;  // Kind::Http: of the request; its beginning may be in `rest`
  std::string rest;              // read, and follows `bytes`
};

struct Refusal {
  std::string text;    // complete and human-readable: "SNI evil.com on a connection to api.github.com:443 refused"
  std::string answer;  // to the client, in its protocol; empty: send a reset
};

struct Gone {};  // closed without data, or the connection failed

awaitable<std::variant<Spoken, Refusal, Gone>> hear(Socket& client, const Destination& destination);

// Returns the reason for refusing the hello, complete and human-readable; empty: it is accepted. `hello` is Whole or
// Garbage.
std::string objection(const ClientHello& hello, const Destination& destination);

// Timeout for the rest once the first byte was read: a ClientHello or a head is one or two segments, from a process of
// this machine.
inline constexpr int kBegunMs = 10'000;

// Returns the refusal text for an incomplete ClientHello or head. `ended`: the client closed it; else the deadline
// passed.
std::string unfinished(const Destination& destination, bool ended);

// Returns `text` in the client's protocol. `status`: of HTTP, 400 or 403.
std::string answer_in(Kind kind, const std::string& text, int status = 403);

}  // namespace band::gateway
