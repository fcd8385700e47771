// Which connection is closed when room is needed, without a socket.
#include "server/http/fairness.h"

#include <doctest/doctest.h>

using namespace band::http;

namespace {

constexpr std::int64_t kNow = 100'000'000;

std::vector<Seat> many(std::string_view token, State state, int count, std::uint64_t bytes = 0) {
  std::vector<Seat> seats;
  seats.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) seats.push_back({token, state, kNow - 10'000'000 + i, bytes});
  return seats;
}

std::vector<Seat> operator+(std::vector<Seat> a, const std::vector<Seat>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

TEST_CASE("an answered unauthenticated connection is closed first, then the oldest, and a new one is not closed") {
  auto seats = many("", State::Waiting, 3) + many("a", State::Waiting, 3);
  CHECK(whom_for_unauthenticated(seats, kNow) == 0);
  seats[2].state = State::Lingering;
  CHECK(whom_for_unauthenticated(seats, kNow) == 2);
  for (Seat& seat : seats) seat = {"", State::Waiting, kNow - kGraceUs + 1, 0};
  CHECK(whom_for_unauthenticated(seats, kNow) == kNobody);
  CHECK(whom_for_unauthenticated(seats, kNow + 1) == 0);
  CHECK(whom_for_unauthenticated(many("", State::Busy, 3), kNow) == kNobody);
}

TEST_CASE(
    "a connection of a token that holds more is closed for a token that holds less, never for one that holds as much") {
  const auto seats = many("a", State::Receiving, 5) + many("b", State::Receiving, 3);
  CHECK(whom_for_connection(seats, "c", kNow) == 0);
  CHECK(whom_for_connection(seats, "b", kNow) == 0);
  CHECK(whom_for_connection(seats, "a", kNow) == kNobody);
  const auto even = many("a", State::Receiving, 4) + many("b", State::Receiving, 3);
  CHECK(whom_for_connection(even, "b", kNow) == kNobody);
  CHECK(whom_for_connection(many("a", State::Receiving, 1), "b", kNow) == kNobody);
}

TEST_CASE("the connection of a running execution is never chosen, and one that loses least is closed first") {
  CHECK(whom_for_connection(many("a", State::Busy, 9), "b", kNow) == kNobody);
  auto seats = many("a", State::Busy, 3) + many("a", State::Stalled, 1) + many("a", State::Queued, 2) +
               many("a", State::Receiving, 1) + many("b", State::Waiting, 1);
  CHECK(whom_for_connection(seats, "c", kNow) == 7);  // idle, of any token
  seats[7].state = State::Busy;
  CHECK(whom_for_connection(seats, "c", kNow) == 6);
  seats[6].state = State::Busy;
  CHECK(whom_for_connection(seats, "c", kNow) == 5);  // the newest in the queue
  seats[4].state = seats[5].state = State::Busy;
  CHECK(whom_for_connection(seats, "c", kNow) == 3);
  seats[3].since_us = kNow - kStallUs + 1;  // it may only be slow
  CHECK(whom_for_connection(seats, "c", kNow) == kNobody);
}

TEST_CASE("for memory, the token that uses most loses its largest body, and only to a token that uses less") {
  auto seats =
      many("a", State::Receiving, 3, 50) + many("b", State::Receiving, 1, 100) + many("c", State::Busy, 1, 900);
  CHECK(whom_for_bytes(seats, "d", 10) == 0);
  seats[1].bytes = 60;
  CHECK(whom_for_bytes(seats, "d", 10) == 1);
  seats[1].state = State::Queued;  // it was received completely
  CHECK(whom_for_bytes(seats, "d", 10) == 0);
  CHECK(whom_for_bytes(seats, "b", 59) == 0);
  CHECK(whom_for_bytes(seats, "b", 60) == kNobody);
  CHECK(whom_for_bytes(seats, "a", 1) == kNobody);
}
