// Reads and checks the first bytes that a client (a program in the sandbox) sends on a connection, before any of these
// bytes is forwarded.
//
// Promises: TLS is forwarded only if the SNI is the name of the connection's destination and no part of the ClientHello
// is encrypted. If the destination is an address, the SNI may be missing. A plain HTTP request is forwarded only if its
// Host header names the destination, and only one request is forwarded per connection. Any other protocol is forwarded
// only if a rule names the port (or every port, with `:*`), and never on ports 80 and 443. At most 64 KiB of a
// connection are buffered. Does not cover: Host and all other data inside TLS.
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
#include "server/gateway/server_bytes.h"

namespace band::gateway {

// The host and port to which a script opened a connection.
struct Destination {
  NetHost host;
  std::uint16_t port = 0;
  // Protocols other than TLS and HTTP are allowed, also those in which the server sends first.
  bool other_protocols = false;

  std::string text() const { return host.text_with_port(port); }
};

// The first bytes are accepted.
struct FirstBytes {
  Kind kind = Kind::Other;  // Other with empty `bytes`: the client sent EOF without data
  std::string bytes;        // forward this: the hello, the normalised head or, for Other, all bytes received so far
  std::optional<HttpBody> body;  // Kind::Http: limits the request's body, whose first bytes may be in `rest`
  std::string rest;              // bytes that the client sent after the hello or the head; not yet checked
};

struct Refusal {
  std::string text;    // complete and human-readable: "SNI evil.com on a connection to api.github.com:443 refused"
  std::string answer;  // to send to the client; empty: reset the connection
};

// The connection failed. Or the client sent EOF without data, and the destination does not allow other protocols.
struct ClosedEarly {};

// Reads from `client` until the first bytes can be accepted or refused. If `destination` allows other protocols, waits
// for the first byte without a limit; otherwise a client that sends nothing for 60 s is refused. `server`: what the
// server has sent; null if no connection to the server exists yet.
awaitable<std::variant<FirstBytes, Refusal, ClosedEarly>> read_first_bytes(Socket& client,
                                                                           const Destination& destination,
                                                                           ServerBytes* server);

// How long the relay waits for the first data of the server, if the client's first bytes can be HTTP and can also be a
// protocol in which the server sends first (SMTP, IMAP, FTP, NATS). The clients of such protocols wait for this data
// before they send, so that the relay need not wait.
inline constexpr int kServerFirstMs = 3'000;

// Returns the text of the refusal (as Refusal::text); "" when the hello is accepted. Call it when the verdict of
// `hello` is Whole or Garbage.
std::string objection(const ClientHello& hello, const Destination& destination);

// Time limit for a ClientHello or an HTTP head, from its first byte to its last. A ClientHello or head usually has one
// or two TCP segments, and the client is a process of this machine. So a working client needs much less time.
inline constexpr int kBegunMs = 10'000;

// Returns the text of the refusal for an incomplete ClientHello or HTTP head. `ended`: true when the client closed the
// connection, false when the deadline has passed.
std::string unfinished(const Destination& destination, bool ended);

// Returns an answer to the client: for Kind::Http a response with `text` and `status` (400 or 403), for Kind::Tls an
// alert, for other protocols "".
std::string answer_in(Kind kind, const std::string& text, int status = 403);

}  // namespace band::gateway
