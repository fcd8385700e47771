// What a client says first on a connection, read and checked before a byte of it goes out.
//
// Promises: TLS goes on only if its SNI is the name that the connection is for and nothing of the hello is encrypted;
// HTTP only if its Host is, one request a connection; anything else only where a rule names the port; at most 64 KiB
// are kept. Does not cover: Host and everything else inside TLS.
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

// Whom a connection is for.
struct Destination {
  NetHost host;
  std::uint16_t port = 0;
  bool other_protocols = false;  // than TLS and HTTP, and the server may speak first

  std::string text() const { return host.text_with_port(port); }
};

struct Spoken {
  Kind kind = Kind::Other;       // Other: also a client that ended without a word
  std::string bytes;             // to be sent on in place of what was read
  std::optional<HttpBody> body;  // Kind::Http: of the request; its beginning may be in `rest`
  std::string rest;              // read, and behind `bytes`
};

struct Refusal {
  std::string text;    // for people, whole: "SNI evil.com on a connection to api.github.com:443 refused"
  std::string answer;  // to the client, in its protocol; empty: a reset
};

struct Gone {};  // without a word, or in the middle of one

awaitable<std::variant<Spoken, Refusal, Gone>> hear(Socket& client, const Destination& destination);

// Why that hello is refused, whole and for people; empty: it is not. `hello` is Whole or Garbage.
std::string objection(const ClientHello& hello, const Destination& destination);

// Who has begun has the rest at hand: a ClientHello or a head is one or two segments, from a process of this machine.
inline constexpr int kBegunMs = 10'000;

// The same, of what was begun and is not whole. `ended`: by the client, else by the deadline.
std::string unfinished(const Destination& destination, bool ended);

// `text` to a client that speaks that. `status`: HTTP's, 400 or 403.
std::string answer_in(Kind kind, const std::string& text, int status = 403);

}  // namespace band::gateway
