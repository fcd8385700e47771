#include "server/http/fairness.h"

#include <map>
#include <optional>
#include <tuple>

namespace band::http {
namespace {

// Returns the seat with the smallest key, or kNobody. `key` returns nullopt for seats that must not be chosen.
template <class Key>
int least(const std::vector<Seat>& seats, Key key) {
  int chosen = kNobody;
  decltype(key(seats[0])) best;
  for (std::size_t i = 0; i < seats.size(); ++i) {
    const auto own = key(seats[i]);
    if (!own || (best && *best <= *own)) continue;
    best = own;
    chosen = static_cast<int>(i);
  }
  return chosen;
}

// Returns a smaller number when closing the connection loses less work. Closing a stalled connection loses most,
// because its execution has already run.
int rank(State state) { return state == State::Receiving ? 0 : state == State::Queued ? 1 : 2; }

}  // namespace

int whom_for_unauthenticated(const std::vector<Seat>& seats, std::int64_t now_us) {
  using Key = std::optional<std::tuple<bool, std::int64_t>>;
  return least(seats, [&](const Seat& seat) -> Key {
    if (!seat.token.empty()) return std::nullopt;
    const bool lingers = seat.state == State::Lingering;
    if (!lingers && (seat.state != State::Waiting || now_us - seat.since_us < kGraceUs)) return std::nullopt;
    return Key({!lingers, seat.since_us});
  });
}

int whom_for_connection(const std::vector<Seat>& seats, std::string_view token, std::int64_t now_us) {
  std::map<std::string_view, std::int64_t> held;
  for (const Seat& seat : seats) ++held[seat.token];
  const std::int64_t own = held[token];
  // Idle connections are chosen first. The others are ordered by the number of their token's connections (most first),
  // by lost work (least first), and by age (oldest first, but among queued connections newest first).
  using Key = std::optional<std::tuple<bool, std::int64_t, int, std::int64_t>>;
  return least(seats, [&](const Seat& seat) -> Key {
    if (seat.token.empty() || seat.state == State::Busy || seat.state == State::Lingering) return std::nullopt;
    if (seat.state == State::Waiting) return Key({false, 0, 0, seat.since_us});
    if (held[seat.token] < own + 2) return std::nullopt;
    if (seat.state == State::Stalled && now_us - seat.since_us < kStallUs) return std::nullopt;
    const std::int64_t age = seat.state == State::Queued ? -seat.since_us : seat.since_us;
    return Key({true, -held[seat.token], rank(seat.state), age});
  });
}

int whom_for_bytes(const std::vector<Seat>& seats, std::string_view token, std::uint64_t bytes) {
  std::map<std::string_view, std::uint64_t> held;
  for (const Seat& seat : seats) held[seat.token] += seat.bytes;
  const std::uint64_t own = held[token] + bytes;
  using Key = std::optional<std::tuple<std::uint64_t, int, std::uint64_t>>;
  return least(seats, [&](const Seat& seat) -> Key {
    if (seat.bytes == 0 || seat.token == token || held[seat.token] <= own) return std::nullopt;
    if (seat.state != State::Receiving && seat.state != State::Queued) return std::nullopt;
    return Key({~held[seat.token], rank(seat.state), ~seat.bytes});
  });
}

}  // namespace band::http
