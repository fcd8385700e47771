#include "server/engine/starter.h"

#include <doctest/doctest.h>

#include <atomic>
#include <set>

using namespace band;
using namespace band::run;

namespace {

constexpr std::chrono::milliseconds kAtOnce(0), kLong(60'000);

// Records what a Starter did, and controls when a start may return.
class Slots {
 public:
  explicit Slots(Starter::Bounds bounds)
      : starter_(
            bounds, [this](int index) { return start(index); }, [this] { ++failures_; }) {}
  // No test waits for a held start.
  ~Slots() {
    hold(false);
    starter_.stop();
  }

  Starter& starter() { return starter_; }
  int out() const { return starter_.state().failing; }
  int failures() const { return failures_; }  // calls of the Failed callback
  void hold(bool hold) {
    const std::lock_guard lock(mutex_);
    holds_ = hold;
    changed_.notify_all();
  }
  void fail(std::set<int> which) {
    const std::lock_guard lock(mutex_);
    fails_ = std::move(which);
  }
  // Indexes of starts that have begun and not ended.
  std::set<int> starting() const {
    const std::lock_guard lock(mutex_);
    return starting_;
  }
  int attempts() const { return attempts_; }
  template <class Holds>
  bool comes(Holds holds) const {
    for (int tries = 0; tries < 5'000; ++tries) {
      if (holds()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return false;
  }
  bool comes_to(int started) const {
    return comes([&] { return starter_.state().started == started; });
  }

 private:
  Status start(int index) {
    std::unique_lock lock(mutex_);
    ++attempts_;
    CHECK(starting_.insert(index).second);
    changed_.wait(lock, [this] { return !holds_; });
    starting_.erase(index);
    return fails_.count(index) != 0 ? Status(layer_error("slot", "unshare", 1)) : done();
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::set<int> starting_, fails_;
  bool holds_ = false;
  std::atomic<int> failures_{0}, attempts_{0};
  Starter starter_;
};

}  // namespace

TEST_CASE("a slot is started when it is needed, and the spare ones in advance") {
  Slots slots({256, 2, 2, kLong});
  REQUIRE(slots.starter().first().ok());
  CHECK(slots.starter().state().started == 1);
  slots.starter().others();
  REQUIRE(slots.comes_to(2));
  slots.starter().needs(1, 0);
  REQUIRE(slots.comes_to(3));
  slots.starter().needs(3, 4);
  REQUIRE(slots.comes_to(9));
  slots.starter().needs(0, 0);  // started slots stay
  slots.starter().needs(9, 0);
  REQUIRE(slots.comes_to(11));
  slots.starter().stop();
  CHECK(slots.starter().state().started == 11);
  CHECK(slots.attempts() == 11);
}

TEST_CASE("no more slots are started than are configured") {
  for (const int count : {1, 2, 5}) {
    Slots slots({count, 8, 2, kLong});
    REQUIRE(slots.starter().first().ok());
    slots.starter().others();
    slots.starter().needs(100, 100);
    REQUIRE(slots.comes_to(count));
    slots.starter().stop();
    CHECK(slots.attempts() == count);
  }
}

TEST_CASE("slots are started in parallel, as many at a time as the bounds allow") {
  Slots slots({8, 8, 3, kLong});
  REQUIRE(slots.starter().first().ok());
  slots.hold(true);
  slots.starter().others();
  REQUIRE(slots.comes([&] { return slots.starting() == std::set{1, 2, 3}; }));
  slots.hold(false);
  REQUIRE(slots.comes_to(8));
}

TEST_CASE("the error of the first slot is returned, and no other slot is started") {
  Slots slots({4, 4, 2, kLong});
  slots.fail({0});
  const Status first = slots.starter().first();
  REQUIRE(!first.ok());
  CHECK(first.error().message().find("unshare") != std::string::npos);
  CHECK(slots.starter().state().started == 0);
  CHECK(slots.out() == 0);
}

TEST_CASE("a slot that cannot be started is out of service until it can") {
  Slots slots({4, 2, 1, kAtOnce});
  REQUIRE(slots.starter().first().ok());
  slots.fail({1});
  slots.starter().others();
  REQUIRE(slots.comes([&] { return slots.out() == 1 && slots.attempts() > 5; }));
  CHECK(slots.starter().state().started == 1);
  CHECK(slots.comes([&] { return slots.failures() == 1; }));  // once, for any number of attempts
  slots.fail({});
  REQUIRE(slots.comes_to(2));
  CHECK(slots.out() == 0);
}

TEST_CASE("a stopped starter does not retry, and counts no slot as out of service") {
  Slots slots({4, 4, 2, kLong});
  REQUIRE(slots.starter().first().ok());
  slots.fail({1, 2, 3});
  slots.starter().others();
  REQUIRE(slots.comes([&] { return slots.out() == 2; }));
  slots.starter().stop();
  CHECK(slots.out() == 0);
  CHECK(slots.attempts() == 3);
  CHECK(slots.starter().state().started == 1);
}

TEST_CASE("more slots can be started until all starts have begun, or all concurrent starts fail") {
  Slots none({2, 2, 1, kLong});
  CHECK(!none.starter().state().can_start_more);  // before the first one
  Slots all({2, 2, 1, kLong});
  REQUIRE(all.starter().first().ok());
  all.hold(true);
  all.starter().others();
  CHECK(all.starter().state().can_start_more);
  REQUIRE(all.comes([&] { return all.starting() == std::set{1}; }));
  CHECK(all.starter().state().can_start_more);  // it is being started
  all.hold(false);
  REQUIRE(all.comes_to(2));
  CHECK(!all.starter().state().can_start_more);
  Slots failing({4, 4, 2, kLong});
  REQUIRE(failing.starter().first().ok());
  failing.fail({1, 2});
  failing.starter().others();
  REQUIRE(failing.comes([&] { return failing.out() == 2; }));
  CHECK(failing.starter().state().failing == 2);
  CHECK(!failing.starter().state().can_start_more);
}
