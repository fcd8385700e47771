// What the relay determines from the bytes of a server before it forwards them: whether the server is a TLS or HTTP
// server, and whether it has made its choice in a TLS handshake (handshake.h).
//
// Promise: if a client's first bytes were recognised as another protocol, and the server answers them with TLS or HTTP,
// none of this answer is forwarded. Not covered: an HTTP answer without a status line (HTTP/0.9), SSL 3.0.
#pragma once

#include <string>
#include <string_view>

#include "server/gateway/asio.h"
#include "server/gateway/handshake.h"

namespace band::gateway {

// Determines from the first bytes of a server whether it is a TLS or HTTP server. Pure.
class ServerOpening {
 public:
  enum class Kind { More, Tls, Http, Other };

  // Reads the next bytes of the server, any number.
  void feed(std::string_view bytes);
  Kind kind() const { return kind_; }

 private:
  Kind kind_ = Kind::More;
  std::string first_;  // while kind_ is More
};

class ServerBytes {
 public:
  explicit ServerBytes(asio::io_context& loop) : news_(loop) {}

  ServerChoice& choice() { return choice_; }
  // While true, all bytes of the server must be passed to feed().
  bool looking() const { return opening_.kind() == ServerOpening::Kind::More || choice_.awaited(); }
  void feed(std::string_view bytes);
  // No more bytes will come.
  void end();

  // Returns true when the server has sent data that is neither TLS nor HTTP. A server that sends such data before it
  // has received anything is not an HTTP server.
  bool sent_other() const { return opening_.kind() == ServerOpening::Kind::Other; }
  // Waits until sent_other(), or end(), or the deadline. Returns sent_other().
  awaitable<bool> wait_for_other(Deadline deadline);

  // Call it before bytes of a client of another protocol are forwarded.
  void expect_other() { other_expected_ = true; }
  // Returns true when the server has sent TLS or HTTP after expect_other(), or before. The bytes that were last passed
  // to feed() must then not be forwarded.
  bool unexpected() const { return other_expected_ && opening_.kind() != ServerOpening::Kind::More && !sent_other(); }
  // Why the connection is refused if unexpected(), human-readable.
  std::string why() const;

 private:
  ServerOpening opening_;
  ServerChoice choice_;
  bool other_expected_ = false;
  bool ended_ = false;
  asio::steady_timer news_;  // cancelled when sent_other() or ended_ becomes true
};

}  // namespace band::gateway
