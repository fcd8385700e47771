// Reads and checks the first bytes of a client on a connection, before any byte is forwarded.
//
// Promises: TLS is forwarded only if the SNI is the name of the connection's destination and no part of the hello is
// encrypted. Plain HTTP is forwarded only if its Host is that name, and only one request per connection. Any other
// protocol is forwarded only if a rule names the port. At most 64 KiB of a connection are buffered. Does not cover:
// Host and all other data inside TLS.
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

// The host and port to which a script opened a connection.
struct Destination {
  NetHost host;
  std::uint16_t port = 0;
  bool other_protocols = false;  // protocols other than TLS and HTTP are allowed; the server may send first

  std::string text() const { return host.text_with_port(port); }
};

// The first bytes are accepted.
struct Spoken {
  Kind kind = Kind::Other;       // Other: also when the client sent EOF without data
  std::string bytes;             // hello or head, to forward in place of the bytes that the client sent for it
  std::optional<HttpBody> body;  // Kind::Http: the request's body; its beginning may be in `rest`
  std::string rest;              // bytes that the client sent after hello or head
};

struct Refusal {
  std::string text;    // complete and human-readable: "SNI evil.com on a connection to api.github.com:443 refused"
  std::string answer;  // in the client's protocol; empty: send a reset
};

struct Gone {};  // the client closed the connection without data, or the connection failed

// Reads from `client` until it can decide.
awaitable<std::variant<Spoken, Refusal, Gone>> hear(Socket& client, const Destination& destination);

// Returns the text of the refusal (as Refusal::text); empty when the hello is accepted. The verdict of `hello` is Whole
// or Garbage.
std::string objection(const ClientHello& hello, const Destination& destination);

// Time limit for a whole ClientHello or head, from its first byte: it consists of one or two segments, from a process
// of this machine.
inline constexpr int kBegunMs = 10'000;

// Returns the text of the refusal for an incomplete ClientHello or head. `ended`: the client closed the connection;
// otherwise the deadline has passed.
std::string unfinished(const Destination& destination, bool ended);

// Returns an answer to the client in the protocol `kind`: HTTP with `text` and `status` (400 or 403), a TLS alert, or
// nothing for other protocols.
std::string answer_in(Kind kind, const std::string& text, int status = 403);

}  // namespace band::gateway
