#include "server/http/connections.h"

#include <algorithm>
#include <chrono>

#include "server/base/io.h"

namespace band::http {
namespace {

// How long enter() waits for a place: the thread of a connection that was shut down normally needs less time to exit.
constexpr std::int64_t kNoticeUs = 200'000;

Refusal crowded_out() { return busy("another token needed a connection, and this token had more connections"); }

}  // namespace

Refusal busy(std::string why) {
  Refusal no = refusal(503, Code::ServerBusy, std::move(why), "try again in a moment");
  no.retry_after = 2;
  return no;
}

std::size_t Connections::unauthenticated_most() const {
  return std::max<std::size_t>(1, static_cast<std::size_t>(settings_.now()->connections) / 4);
}

std::size_t Connections::tokens_most() const {
  const auto all = static_cast<std::size_t>(settings_.now()->connections);
  return std::max<std::size_t>(1, all - std::min(all, unauthenticated_most()));
}

// A client that reads an answer slowly but steadily keeps its place. An eighth of the tokens' places is left to the
// other tokens, so that no token can keep all places with such clients.
std::size_t Connections::token_most() const {
  const std::size_t all = tokens_most();
  if (settings_.now()->tokens.size() < 2) return all;
  return std::max<std::size_t>(1, all - std::max<std::size_t>(1, all / 8));
}

std::size_t Connections::of_token(std::string_view hash) const {
  return static_cast<std::size_t>(
      std::count_if(held_.begin(), held_.end(), [&](const Held& held) { return held.token == hash; }));
}

std::size_t Connections::unauthenticated() const {
  return static_cast<std::size_t>(
      std::count_if(held_.begin(), held_.end(), [](const Held& held) { return held.token.empty(); }));
}

Connections::Place Connections::find(const Connection& connection) {
  return std::find_if(held_.begin(), held_.end(), [&](const Held& held) { return held.connection == &connection; });
}

std::vector<Seat> Connections::seats() const {
  std::vector<Seat> seats;
  seats.reserve(held_.size());
  for (const Held& held : held_) {
    const Connection& one = *held.connection;
    seats.push_back({held.token, held.spared ? State::Busy : one.state(),
                     held.token.empty() ? one.born_us() : one.since_us(), held.bytes});
  }
  return seats;
}

void Connections::take_back(Place place) {
  free_bytes_ += place->bytes;
  place->bytes = 0;
}

template <class Choose>
bool Connections::end_one(Choose choose, const Refusal& why) {
  bool ended = false;
  while (!ended) {
    const int chosen = choose(seats());
    if (chosen == kNobody) break;
    const auto place = std::next(held_.begin(), chosen);
    ended = place->connection->end(why);
    if (!ended) {
      place->spared = true;  // in this search only
      continue;
    }
    // The memory of the ended connection is free from now on, and the connection no longer belongs to a token. Its
    // thread sends the refusal, if this is still possible, and closes the connection.
    take_back(place);
    place->token.clear();
    if (place->connection->state() == State::Shut) held_.erase(place);
  }
  for (Held& held : held_) held.spared = false;
  return ended;
}

bool Connections::enter(Connection& connection) {
  std::unique_lock lock(mutex_);
  const std::int64_t deadline = base::monotonic_us() + kNoticeUs;
  const auto whom = [](const std::vector<Seat>& all) { return whom_for_unauthenticated(all, base::monotonic_us()); };
  const std::size_t most = unauthenticated_most(), all_most = tokens_most() + 2 * most;
  while (unauthenticated() >= most || threads_ >= all_most) {
    if (unauthenticated() >= most && end_one(whom, busy("too many connections"))) continue;
    const std::int64_t now = base::monotonic_us();
    if (now >= deadline) return false;
    left_.wait_for(lock, std::chrono::microseconds(std::min(deadline - now, kGraceUs / 10)));
  }
  held_.push_back({&connection, "", 0, false});
  ++threads_;
  return true;
}

void Connections::leave(const Connection& connection) {
  const std::lock_guard lock(mutex_);
  if (const auto place = find(connection); place != held_.end()) {
    take_back(place);
    held_.erase(place);
  }
  --threads_;
  left_.notify_all();
}

std::optional<Refusal> Connections::claim(Connection& connection, const Admitted& request) {
  const std::lock_guard lock(mutex_);
  // The token is checked again under the lock. If the token is revoked after this check, end_unknown() finds the
  // connection.
  if (find_token(*settings_.now(), request.token_hash) == nullptr) return unauthorized();
  const auto place = find(connection);
  if (place == held_.end()) return busy("too many connections");
  if (place->token == request.token_hash) return std::nullopt;
  place->token.clear();
  const auto whom = [&](const std::vector<Seat>& all) {
    return whom_for_connection(all, request.token_hash, base::monotonic_us());
  };
  if (of_token(request.token_hash) >= token_most()) return busy("this token has reached its share of the connections");
  while (held_.size() - unauthenticated() >= tokens_most())
    if (!end_one(whom, crowded_out())) return busy("all connections for tokens are in use");
  place->token = request.token_hash;
  return std::nullopt;
}

void Connections::disown(const Connection& connection) {
  const std::lock_guard lock(mutex_);
  const auto place = find(connection);
  if (place == held_.end()) return;
  take_back(place);
  place->token.clear();
  const auto whom = [](const std::vector<Seat>& all) { return whom_for_unauthenticated(all, base::monotonic_us()); };
  while (unauthenticated() > unauthenticated_most() && end_one(whom, busy("too many connections"))) {
  }
}

void Connections::end_unknown() {
  const std::lock_guard lock(mutex_);
  const auto config = settings_.now();
  for (auto place = held_.begin(); place != held_.end();) {
    const auto one = place++;
    if (one->token.empty() || find_token(*config, one->token) != nullptr) continue;
    one->connection->expire();
    if (one->connection->state() == State::Queued || !one->connection->end(unauthorized())) continue;
    take_back(one);
    one->token.clear();
    if (one->connection->state() == State::Shut) held_.erase(one);
  }
}

bool Connections::charge(const Connection& connection, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto place = find(connection);
  if (place == held_.end() || place->token.empty()) return false;
  const auto whom = [&](const std::vector<Seat>& all) { return whom_for_bytes(all, place->token, bytes); };
  while (free_bytes_ < bytes)
    if (!end_one(whom, busy("another token needs memory for its request, and its requests use less memory than those "
                            "of this token")))
      return false;
  free_bytes_ -= bytes;
  place->bytes += bytes;
  return true;
}

void Connections::discharge(const Connection& connection) {
  const std::lock_guard lock(mutex_);
  if (const auto place = find(connection); place != held_.end()) take_back(place);
}

}  // namespace band::http
