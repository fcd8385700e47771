// The part of a TLS handshake in which a client may say hello again: from its first ClientHello to the ServerHello with
// which the server has chosen. In between stand HelloRetryRequests (RFC 8446, 4.1.4). Pure.
//
// Promise: until an honest server has chosen, no ClientHello reaches it that was not judged, however it is cut into
// records and whatever records stand around it. Not covered: a server that lies about having chosen; hellos that the
// encryption hides (a renegotiation of TLS 1.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "server/gateway/client_hello.h"

namespace band::gateway {

// What the server says: has it chosen?
class ServerChoice {
 public:
  // The client has said hello.
  void begin() { state_ = State::Awaited; }
  // feed() wants to know. Also: for ever, if what comes is not TLS.
  bool awaited() const { return state_ == State::Awaited; }
  // There was a ServerHello that is no HelloRetryRequest, or the client never said hello.
  bool made() const { return state_ == State::Made; }
  // The next bytes of the server, any number, from the first behind begin().
  void feed(std::string_view bytes);

 private:
  void take_handshake(char byte);

  enum class State { Idle, Awaited, Made };
  State state_ = State::Idle;
  std::string head_;              // of a record, as far as it has come
  std::size_t left_ = 0;          // of the record behind it
  std::string message_;           // the beginning of a handshake message
  std::size_t message_size_ = 0;  // all of it that has come
};

// What the client says behind its first hello, while the server has not chosen.
class LaterHellos {
 public:
  // Why a hello must not pass, or what is no hello (it says why()); empty: it may.
  using Objection = std::function<std::string(const ClientHello&)>;

  explicit LaterHellos(Objection objection) : objection_(std::move(objection)) {}

  // The next bytes of the client, any number; at most kMaxHelloBytes and one call's are kept. Returns an objection,
  // behind which nothing may pass.
  std::string feed(std::string_view bytes);
  // What may go to the server now: whole hellos, and records in which there is none, as they were sent.
  std::string take_judged();
  // Everything that is left, for a server that has chosen.
  std::string release() { return std::move(held_); }
  // A hello has begun, and its end is awaited.
  bool within_hello() const { return hello_.has_value(); }

 private:
  bool pass_record();

  Objection objection_;
  std::string held_;
  std::size_t judged_ = 0;   // of `held_`
  std::size_t passing_ = 0;  // bytes of a record without a hello that are still to come
  std::size_t heard_ = 0;    // of `held_`, by the hello
  std::optional<ClientHello> hello_;
};

}  // namespace band::gateway
