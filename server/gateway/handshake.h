// Checks the further ClientHellos of a TLS connection. A client may send one after each HelloRetryRequest of the
// server, until the server sends the ServerHello that ends the negotiation (RFC 8446, 4.1.4). Pure.
//
// Promise: until an honest server has sent its ServerHello, every ClientHello is checked before the server receives it,
// regardless of how the hello is split into records and which records surround it. Not covered: a server that sends a
// ServerHello and then continues the negotiation; encrypted hellos (a renegotiation of TLS 1.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "server/gateway/client_hello.h"

namespace band::gateway {

// Reads the server's bytes and determines whether the server has made its choice: has sent its ServerHello.
class ServerChoice {
 public:
  // Call when the client's ClientHello is about to be forwarded.
  void begin() { state_ = State::Awaited; }
  // True while feed() needs the server's bytes. Stays true if the server does not send TLS.
  bool awaited() const { return state_ == State::Awaited; }
  // True after a ServerHello that is not a HelloRetryRequest.
  bool made() const { return state_ == State::Made; }
  // Reads the next bytes of the server, any number, from the first one after begin().
  void feed(std::string_view bytes);

 private:
  void take_handshake(char byte);

  enum class State { Idle, Awaited, Made };
  State state_ = State::Idle;
  std::string head_;              // record header, as far as received
  std::size_t left_ = 0;          // bytes of this record still to come
  std::string message_;           // the beginning of a handshake message
  std::size_t message_size_ = 0;  // bytes of the message received so far
};

// Checks the client's bytes after its first hello, until the server has made its choice.
class LaterHellos {
 public:
  // Returns why a hello is refused; empty when it is accepted. Also called for bytes that are not a hello
  // (ClientHello::why()).
  using Objection = std::function<std::string(const ClientHello&)>;

  explicit LaterHellos(Objection objection) : objection_(std::move(objection)) {}

  // Reads the next bytes of the client, any number; buffers at most kMaxHelloBytes and the bytes of one call. Returns
  // an objection or an empty string. After an objection no bytes may be forwarded.
  std::string feed(std::string_view bytes);
  // Returns the bytes that may be forwarded now, unchanged: complete hellos, and records without a hello.
  std::string take_judged();
  // Returns all remaining bytes, once the server has made its choice.
  std::string release() { return std::move(held_); }
  // True when a hello has begun and is incomplete.
  bool within_hello() const { return hello_.has_value(); }

 private:
  bool pass_record();

  Objection objection_;
  std::string held_;
  std::size_t judged_ = 0;   // bytes of `held_` that may be forwarded
  std::size_t passing_ = 0;  // bytes of a record without a hello that are still to come
  std::size_t heard_ = 0;    // bytes of `held_` already passed to `hello_`
  std::optional<ClientHello> hello_;
};

}  // namespace band::gateway
