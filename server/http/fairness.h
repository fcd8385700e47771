// Chooses which connection is closed when a new connection needs a place and none is free, or when a body needs memory
// and none is free (connections.h introduces places and memory). Pure.
//
// Idle connections (State::Waiting) are closed first. A connection that is not idle is closed only if it belongs to a
// token that has more connections, or more memory, than the token that needs one. A token can therefore use what the
// other tokens do not need, and cannot lock out another token. While an execution runs and its client reads the answer,
// the connection is never chosen.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "server/http/connection.h"

namespace band::http {

// One connection, as the functions below see it.
struct Seat {
  std::string_view token;     // hash of the token that the connection belongs to; empty: unauthenticated
  State state = State::Busy;  // Busy also for a connection that must not be chosen
  std::int64_t since_us = 0;  // start of the state; if unauthenticated: of the connection, or its last answered proof
  std::uint64_t bytes = 0;    // size of the request's body in memory
};

// The grace period. After a connection was accepted, and after a proof (GET /v1/proof) was answered on it, it is not
// closed for this time, so that its client can send the next request. The period must be short: when all places for
// unauthenticated connections are taken, each new connection waits until the grace period of an older one has passed,
// and new connections wait one after the other. A connection with unread bytes is not closed after the period either.
inline constexpr std::int64_t kGraceUs = 15'000;
// A connection whose client has read no byte of the answer for this long may be closed. A working client seldom pauses
// this long; a terminal that the user has scrolled back sometimes does. Its connection may then be closed too, which is
// accepted.
inline constexpr std::int64_t kStallUs = 1'000'000;

inline constexpr int kNobody = -1;  // no seat

// Each function returns an index into `seats`, or kNobody.
// For one more unauthenticated connection: chooses among the unauthenticated connections.
int whom_for_stranger(const std::vector<Seat>& seats, std::int64_t now_us);
// For one more connection of `token`; `seats` does not contain that connection yet.
int whom_for_connection(const std::vector<Seat>& seats, std::string_view token, std::int64_t now_us);
// For `bytes` more bytes of a body of `token`.
int whom_for_bytes(const std::vector<Seat>& seats, std::string_view token, std::uint64_t bytes);

}  // namespace band::http
