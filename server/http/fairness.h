// Who makes room when connections, or memory for bodies, are used up and one more is asked for. Pure.
//
// Nobody is ended for somebody who has as much. So one token can use everything while nobody else asks, and cannot keep
// anybody out. What only waits goes first; a running execution's connection is never chosen.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "server/http/connection.h"

namespace band::http {

struct Seat {
  std::string_view token;     // the hash of the token whose connection it is; empty: a stranger's
  State state = State::Busy;  // Busy also: not to be chosen
  std::int64_t since_us = 0;  // in that state; of a stranger's: since it was accepted, or its last proof was answered
  std::uint64_t bytes = 0;    // of a body, in memory
};

// A new connection, or one on which a proof was answered, is not ended before a client had time for its next request.
// Short, because newcomers beyond the strangers' places wait for it one after the other. What has come already is read
// in any case.
inline constexpr std::int64_t kGraceUs = 15'000;
// Of a client that takes nothing of its answer; a terminal that is scrolled back is as slow as that only sometimes.
inline constexpr std::int64_t kStallUs = 1'000'000;

inline constexpr int kNobody = -1;

// Each returns an index of `seats`, or kNobody.
// One more connection of a stranger's: of the strangers' ones.
int whom_for_stranger(const std::vector<Seat>& seats, std::int64_t now_us);
// One more connection of `token`, which is not among its seats yet.
int whom_for_connection(const std::vector<Seat>& seats, std::string_view token, std::int64_t now_us);
// `bytes` more of a body of `token`.
int whom_for_bytes(const std::vector<Seat>& seats, std::string_view token, std::uint64_t bytes);

}  // namespace band::http
