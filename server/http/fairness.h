// Chooses which connection is closed when connections, or the memory for bodies, are used up and another is needed.
// Pure.
//
// A connection that is not idle is closed only in favour of a token that holds less. One token can therefore use
// everything while no other token needs it, and cannot lock out another. Idle connections are closed first; the
// connection of a running execution is never chosen.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "server/http/connection.h"

namespace band::http {

struct Seat {
  std::string_view token;     // hash of the token that the connection belongs to; empty: unauthenticated
  State state = State::Busy;  // Busy also for seats that must not be chosen
  std::int64_t since_us = 0;  // start of the state; unauthenticated: accept or the last answer to a proof
  std::uint64_t bytes = 0;    // size of its body in memory
};

// A new connection, or one on which a proof was answered, is not ended before its client had time for the next request.
// The time is short, because new connections beyond the unauthenticated places wait for it one after the other. Bytes
// that have already arrived are always read.
inline constexpr std::int64_t kGraceUs = 15'000;
// The connection of a client that read no byte of its answer for this long may be closed. A terminal that is scrolled
// back is this slow only sometimes.
inline constexpr std::int64_t kStallUs = 1'000'000;

inline constexpr int kNobody = -1;

// Each function returns an index into `seats`, or kNobody.
// For one more unauthenticated connection: chooses among the unauthenticated ones.
int whom_for_stranger(const std::vector<Seat>& seats, std::int64_t now_us);
// For one more connection of `token`; `seats` does not contain it yet.
int whom_for_connection(const std::vector<Seat>& seats, std::string_view token, std::int64_t now_us);
// For `bytes` more of a body of `token`.
int whom_for_bytes(const std::vector<Seat>& seats, std::string_view token, std::uint64_t bytes);

}  // namespace band::http
