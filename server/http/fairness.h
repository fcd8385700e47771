// Chooses which connection is closed when a new connection needs a place and none is free, or when a body needs memory
// and none is free (connections.h introduces places and memory). Pure.
//
// Connections without a request in progress are closed first. When a token needs a place, a connection with a request
// in progress is closed only if its token has more connections than the token that needs the place, the new connection
// included. When a token needs memory, a connection is closed only if its token uses more memory than the token that
// needs memory, the new bytes included. A token can therefore use the places and the memory that other tokens do not
// need, and cannot lock out another token. A connection is never chosen while its execution runs and its client reads
// the answer.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "server/http/connection.h"

namespace band::http {

// The properties of one connection that the functions below use.
struct Seat {
  std::string_view token;     // hash of the token that the connection belongs to; empty: unauthenticated
  State state = State::Busy;  // Busy also for a connection that must not be chosen
  // When the state began (monotonic_us). For an unauthenticated connection: when it was accepted, or when its last
  // proof was answered.
  std::int64_t since_us = 0;
  std::uint64_t bytes = 0;  // size of the request's body in memory
};

// The grace period. After a connection was accepted, and after a proof (GET /v1/proof) was answered on it, the
// connection is not closed for this time, so that its client can send the next request. The period must be short: when
// all places for unauthenticated connections are taken, each new connection waits until the grace period of an older
// one has passed, and new connections wait one after the other. A connection with bytes that were not yet read is not
// closed, even after its grace period.
inline constexpr std::int64_t kGraceUs = 15'000;
// A connection whose client has read no byte of the answer for this long may be closed. A working client seldom pauses
// this long. An exception is a client that writes to a terminal which the user has scrolled back; such a client can
// lose its connection.
inline constexpr std::int64_t kStallUs = 1'000'000;

inline constexpr int kNobody = -1;  // there is no connection that may be closed

// Each function returns an index into `seats`, or kNobody.
// For one more unauthenticated connection: chooses among the unauthenticated connections.
int whom_for_unauthenticated(const std::vector<Seat>& seats, std::int64_t now_us);
// For one more connection of `token`; `seats` does not contain that connection yet.
int whom_for_connection(const std::vector<Seat>& seats, std::string_view token, std::int64_t now_us);
// For `bytes` more bytes of a body of `token`.
int whom_for_bytes(const std::vector<Seat>& seats, std::string_view token, std::uint64_t bytes);

}  // namespace band::http
