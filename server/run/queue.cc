#include "server/run/queue.h"

namespace band::run {

bool Queue::put(Waiting& waiting) {
  const std::lock_guard lock(mutex_);
  auto& own = by_token_[waiting.token];
  if (closed_ || size_ >= length_ || static_cast<int>(own.size()) >= per_token_) {
    if (own.empty()) by_token_.erase(waiting.token);
    return false;
  }
  if (own.empty()) turns_.push_back(waiting.token);
  own.push_back(std::move(waiting));
  ++size_;
  filled_.notify_one();
  return true;
}

std::optional<Waiting> Queue::take() {
  std::unique_lock lock(mutex_);
  filled_.wait(lock, [&] { return closed_ || size_ > 0; });
  if (size_ == 0) return std::nullopt;
  const std::string token = turns_.front();
  turns_.pop_front();
  auto& own = by_token_[token];
  Waiting next = std::move(own.front());
  own.pop_front();
  --size_;
  if (own.empty())
    by_token_.erase(token);
  else
    turns_.push_back(token);
  return next;
}

std::deque<Waiting> Queue::close() {
  const std::lock_guard lock(mutex_);
  std::deque<Waiting> left;
  for (auto& [token, own] : by_token_)
    for (Waiting& waiting : own) left.push_back(std::move(waiting));
  by_token_.clear();
  turns_.clear();
  size_ = 0;
  closed_ = true;
  filled_.notify_all();
  return left;
}

int Queue::size() const {
  const std::lock_guard lock(mutex_);
  return size_;
}

}  // namespace band::run
