#include "server/engine/queue.h"

#include <algorithm>

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
  filled_.notify_one();
  return Put::Waits;
}

// The first token in turn that may hold one slot more.
std::list<std::string>::iterator Queue::next_turn() {
  return std::find_if(turns_.begin(), turns_.end(), [this](const std::string& token) {
    const auto held = held_.find(token);
    return held == held_.end() || held->second < bounds_.held;
  });
}

std::optional<Waiting> Queue::pop() {
  std::unique_lock lock(mutex_);
  auto turn = turns_.end();
  filled_.wait(lock, [&] { return closed_ || (turn = next_turn()) != turns_.end(); });
  if (closed_) return std::nullopt;
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
  filled_.notify_one();
}

void Queue::set_held(int held) {
  const std::lock_guard lock(mutex_);
  bounds_.held = std::max(1, held);
  filled_.notify_all();
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
  filled_.notify_all();
  return remove_all();
}

int Queue::size() const {
  const std::lock_guard lock(mutex_);
  return size_;
}

}  // namespace band::run
