// Checks the ClientHellos after the first one of a TLS connection. A client sends another ClientHello when the server
// has answered with a HelloRetryRequest (RFC 8446, 4.1.4). A ServerHello that is not a HelloRetryRequest is the
// *choice* of the server: it ends the negotiation. Pure.
//
// Promise: until an honest server has made its choice, every ClientHello is checked before the server receives it,
// regardless of how the hello is split into records and which records surround it. Not covered: a server that continues
// the negotiation after its choice; encrypted hellos (a renegotiation of TLS 1.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "server/gateway/client_hello.h"

namespace band::gateway {

// Reads the server's bytes and determines whether the server has made its choice.
class ServerChoice {
 public:
  // Call when the client's ClientHello is about to be forwarded.
  void begin() { state_ = State::Awaited; }
  // True from begin() until the server has made its choice. Stays true if the server does not send TLS.
  bool awaited() const { return state_ == State::Awaited; }
  // True when the server has made its choice.
  bool made() const { return state_ == State::Made; }
  // Reads the next bytes of the server, any number. Pass all bytes that the server sends after begin(), until awaited()
  // is false.
  void feed(std::string_view bytes);

 private:
  void take_handshake(char byte);

  enum class State { Idle, Awaited, Made };
  State state_ = State::Idle;
  std::string head_;              // record header, as far as received
  std::size_t left_ = 0;          // bytes of the current record that are still to come
  std::string message_;           // the beginning of a handshake message
  std::size_t message_size_ = 0;  // bytes of the message received so far
};

// Checks the client's bytes after its first hello, until the server has made its choice.
class LaterHellos {
 public:
  // Returns why a hello is refused; "" when the hello is accepted. LaterHellos calls it for each ClientHello whose
  // verdict is Whole or Garbage.
  using Objection = std::function<std::string(const ClientHello&)>;

  explicit LaterHellos(Objection objection) : objection_(std::move(objection)) {}

  // Reads the next bytes of the client, any number. Buffers at most kMaxHelloBytes plus the size of `bytes`. Returns an
  // objection, or "" when there is none. After an objection no bytes may be forwarded.
  std::string feed(std::string_view bytes);
  // Returns the bytes that may be forwarded now: accepted hellos, and records without a hello.
  std::string take_judged();
  // Returns all bytes that take_judged() has not returned. Call it when the server has made its choice.
  std::string release() { return std::move(held_); }
  // True when a hello has begun and is incomplete.
  bool within_hello() const { return hello_.has_value(); }

 private:
  bool pass_record();

  Objection objection_;
  std::string held_;
  std::size_t judged_ = 0;   // bytes of `held_` that may be forwarded
  std::size_t passing_ = 0;  // bytes of a record without a hello that are still to come
  std::size_t fed_ = 0;      // bytes of `held_` already passed to `hello_`
  std::optional<ClientHello> hello_;
};

}  // namespace band::gateway
