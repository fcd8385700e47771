#include "server/engine/starter.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace band::run {

Starter::Starter(Bounds bounds, Start start, Failed failed)
    : bounds_(bounds), start_(std::move(start)), failed_(std::move(failed)), needed_(bounds.spare) {}

Status Starter::first() {
  BAND_CHECK(start_(0));
  const std::lock_guard lock(mutex_);
  next_ = started_ = 1;
  return done();
}

void Starter::others() {
  const std::lock_guard lock(mutex_);
  const int most = std::min(bounds_.side_by_side, bounds_.count - 1);
  try {
    for (int each = 0; each < most; ++each) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error& failed) {
    spdlog::error("created only {} of {} threads that start slots: {}", threads_.size(), most, failed.what());
  }
}

void Starter::needs(int busy, int waiting) {
  const std::lock_guard lock(mutex_);
  needed_ = busy + waiting + bounds_.spare;
  if (lacks_one()) changed_.notify_all();
}

bool Starter::lacks_one() const { return next_ < std::min(bounds_.count, needed_ + failing_); }

void Starter::work() {
  for (;;) {
    int index = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || lacks_one(); });
      if (stopping_) return;
      index = next_++;
    }
    start_until_it_serves(index);
  }
}

// A repeated failure is logged once.
void Starter::start_until_it_serves(int index) {
  Status started = start_(index);
  if (started.ok()) return count(State{.started = 1});
  spdlog::error("{}; the slot is out of service until a retry succeeds", started.error().message());
  count(State{.failing = 1});
  failed_();
  while (!started.ok() && !stops_within(bounds_.between_attempts)) started = start_(index);
  count(State{.started = started.ok() ? 1 : 0, .failing = -1});
  if (started.ok()) spdlog::info("slot {} is in service", index);
}

void Starter::count(const State& more) {
  const std::lock_guard lock(mutex_);
  started_ += more.started;
  failing_ += more.failing;
  if (lacks_one()) changed_.notify_all();
}

bool Starter::stops_within(std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, wait, [this] { return stopping_; });
}

void Starter::stop() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
}

Starter::State Starter::state() const {
  const std::lock_guard lock(mutex_);
  const bool begun = next_ > started_ + failing_;
  const bool can_begin = next_ < bounds_.count && failing_ < static_cast<int>(threads_.size());
  return {started_, failing_, begun || can_begin};
}

}  // namespace band::run
