#include "server/engine/queue.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "server/base/io.h"
#include "server/base/undo.h"

namespace band::run {

Queue::Put Queue::put(Waiting& waiting) {
  const std::lock_guard lock(mutex_);
  if (closed_) return Put::Closed;
  if (size_ >= bounds_.length) return Put::QueueFull;
  const auto known = by_token_.find(waiting.token);
  const std::size_t own = known == by_token_.end() ? 0 : known->second.size();
  if (static_cast<int>(own) >= bounds_.per_token) return Put::TokenFull;
  if (own == 0) turns_.push_back(waiting.token);
  by_token_[waiting.token].push_back(std::move(waiting));
  ++size_;
  call_one();
  return Put::Waits;
}

// Returns the first token, in round-robin order, that may hold one more slot.
std::list<std::string>::iterator Queue::next_turn() {
  return std::find_if(turns_.begin(), turns_.end(), [this](const std::string& token) {
    const auto held = held_.find(token);
    return held == held_.end() || held->second < bounds_.held;
  });
}

Waiting Queue::take(std::list<std::string>::iterator turn) {
  const std::string token = *turn;
  turns_.erase(turn);
  auto& own = by_token_[token];
  Waiting next = std::move(own.front());
  own.pop_front();
  --size_;
  ++held_[token];
  if (own.empty())
    by_token_.erase(token);
  else
    turns_.push_back(token);
  return next;
}

Queue::Next Queue::pop(Seat& seat) {
  std::unique_lock lock(mutex_);
  seat.called = seat.discards = false;
  const auto place = seats_.insert(seats_.end(), &seat);
  const base::Undo leave([&] { seats_.erase(place); });
  const auto until = std::chrono::steady_clock::now() +
                     std::chrono::microseconds(seat.warm_since_us + kMostWarmUs - base::monotonic_us());
  for (;;) {
    if (seat.given) return {std::exchange(seat.given, std::nullopt)};
    if (closed_) return {};
    if (const auto turn = next_turn(); turn != turns_.end()) return {take(turn)};
    if (seat.discards) return {{}, true};
    seat.called = false;
    if (seat.warm == nullptr)
      seat.wake.wait(lock);
    else if (seat.wake.wait_until(lock, until) == std::cv_status::timeout)
      seat.discards = true;
  }
}

// Returns the oldest seat with a warm sandbox of that token, preferably with the recipe that the token repeats. If the
// token uses several recipes in turn, the oldest sandbox is likely to be the right one; and an older sandbox is more
// likely to be ready than a newer one. A seat with another recipe is better than one without a sandbox also for a
// repeated recipe: until its slot has read the request, a slot with the right sandbox often becomes idle (pass_on()).
// If there is none, returns the newest seat without a sandbox, because its memory is in the caches. Otherwise returns
// the oldest seat.
Seat* Queue::best_seat(const std::string& token) const {
  const auto last = last_.find(token);
  const Recipe* const expected = last != last_.end() && last->second.repeated ? &last->second.recipe : nullptr;
  Seat* own = nullptr;
  Seat* cold = nullptr;
  Seat* other = nullptr;
  for (Seat* seat : seats_) {
    if (seat->called) continue;
    if (seat->warm == nullptr) {
      cold = seat;
    } else if (seat->warm->token != token) {
      if (other == nullptr) other = seat;
    } else {
      if (expected == nullptr || *seat->warm == *expected) return seat;
      if (own == nullptr) own = seat;
    }
  }
  return own != nullptr ? own : cold != nullptr ? cold : other;
}

void Queue::note(const Recipe& recipe) {
  const std::lock_guard lock(mutex_);
  if (last_.size() >= kMostGuesses && !last_.contains(recipe.token)) last_.clear();
  const auto [last, first] = last_.try_emplace(recipe.token, Last{recipe});
  last->second.repeated = !first && last->second.recipe == recipe;
  if (!last->second.repeated) last->second.recipe = recipe;
}

void Queue::forget_recipes() {
  const std::lock_guard lock(mutex_);
  last_.clear();
}

void Queue::call_one() {
  const auto turn = next_turn();
  Seat* const seat = turn != turns_.end() ? best_seat(*turn) : nullptr;
  if (seat == nullptr) return;
  seat->called = true;
  seat->wake.notify_one();
}

// A slot that becomes idle takes a waiting request without delay, even if another slot was woken for it. A slot that
// was woken, and was given no request, is therefore idle; but it is the second choice.
Seat* Queue::better_seat(const Waiting& waiting, const Seat& from) const {
  Seat* best = nullptr;
  int best_rank = 0;
  for (Seat* seat : seats_) {
    if (seat->given || seat->discards) continue;
    const bool right = seat->warm != nullptr && waiting.recipe && *seat->warm == *waiting.recipe;
    if (!right && (seat->warm != nullptr || from.warm == nullptr)) continue;
    const int rank = (right ? 3 : 1) + (seat->called ? 0 : 1);
    if (rank < best_rank || (right && rank == best_rank))
      continue;  // the oldest sandbox, but the newest slot without one
    best = seat;
    best_rank = rank;
  }
  return best;
}

bool Queue::pass_on(Waiting& waiting, const Seat& from) {
  const std::lock_guard lock(mutex_);
  Seat* const to = better_seat(waiting, from);
  if (closed_ || to == nullptr) return false;
  to->given = std::move(waiting);
  const bool called_before = std::exchange(to->called, true);
  to->wake.notify_one();
  if (called_before) call_one();  // the request for which it was called may still wait
  return true;
}

void Queue::discard_settled(std::int64_t now_us) {
  const std::lock_guard lock(mutex_);
  Seat* oldest = nullptr;
  for (Seat* seat : seats_)
    if (seat->warm != nullptr && !seat->called && (!oldest || seat->warm_since_us < oldest->warm_since_us))
      oldest = seat;
  if (oldest == nullptr || now_us - oldest->warm_since_us < kSettledUs) return;
  oldest->discards = oldest->called = true;
  oldest->wake.notify_one();
}

std::deque<Waiting> Queue::withdraw(const std::function<bool(const Waiting&)>& which) {
  const std::lock_guard lock(mutex_);
  std::deque<Waiting> out;
  for (auto entry = by_token_.begin(); entry != by_token_.end();) {
    std::deque<Waiting> staying;
    for (Waiting& waiting : entry->second) (which(waiting) ? out : staying).push_back(std::move(waiting));
    entry->second = std::move(staying);
    if (entry->second.empty()) {
      turns_.remove(entry->first);
      entry = by_token_.erase(entry);
    } else {
      ++entry;
    }
  }
  size_ -= static_cast<int>(out.size());
  return out;
}

void Queue::release(const std::string& token) {
  const std::lock_guard lock(mutex_);
  const auto held = held_.find(token);
  if (held != held_.end() && --held->second == 0) held_.erase(held);
  call_one();
}

void Queue::set_held(int held) {
  const std::lock_guard lock(mutex_);
  bounds_.held = std::max(1, held);
  for (int i = 0; i < size_; ++i) call_one();
}

std::deque<Waiting> Queue::remove_all() {
  std::deque<Waiting> left;
  for (auto& [token, own] : by_token_)
    for (Waiting& waiting : own) left.push_back(std::move(waiting));
  by_token_.clear();
  turns_.clear();
  size_ = 0;
  return left;
}

std::deque<Waiting> Queue::drain() {
  const std::lock_guard lock(mutex_);
  return remove_all();
}

std::deque<Waiting> Queue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  for (Seat* seat : seats_) seat->wake.notify_one();
  return remove_all();
}

bool Queue::lacks_slots() const {
  const std::lock_guard lock(mutex_);
  return size_ > static_cast<int>(seats_.size());
}

int Queue::size() const {
  const std::lock_guard lock(mutex_);
  return size_;
}

}  // namespace band::run
