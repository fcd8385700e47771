#include "server/engine/queue.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>

#include "server/base/io.h"
#include "tests/thread_state.h"
#include "tests/within.h"

using namespace band::run;

namespace {

Queue::Put ask(Queue& queue, const std::string& token, const std::string& id) {
  Waiting waiting;
  waiting.token = token;
  waiting.id = id;
  return queue.put(waiting);
}

bool put(Queue& queue, const std::string& token, const std::string& id) {
  return ask(queue, token, id) == Queue::Put::Waits;
}

// Returns the id that the next free slot gets; "" while it waits. At the end the queue is closed, so that no thread
// waits forever.
std::string next(Queue& queue) {
  auto waiting = std::async(std::launch::async, [&queue] {
    Seat seat;
    return queue.pop(seat).waiting;
  });
  if (waiting.wait_for(std::chrono::milliseconds(100)) == std::future_status::ready) return waiting.get()->id;
  queue.close();
  CHECK(!waiting.get());
  return "";
}

}  // namespace

TEST_CASE("tokens are served round-robin, each in the order of its own requests") {
  Queue queue({64, 32, 4});
  for (const char* id : {"a1", "a2", "a3"}) REQUIRE(put(queue, "a", id));
  REQUIRE(put(queue, "b", "b1"));
  std::string order;
  for (int i = 0; i < 4; ++i) order += next(queue) + " ";
  CHECK(order == "a1 b1 a2 a3 ");
}

TEST_CASE("a token at its limit of slots waits, and other tokens are served") {
  Queue queue({64, 32, 2});
  for (const char* id : {"a1", "a2", "a3"}) REQUIRE(put(queue, "a", id));
  CHECK(next(queue) == "a1");
  CHECK(next(queue) == "a2");
  REQUIRE(put(queue, "b", "b1"));
  CHECK(next(queue) == "b1");
  SUBCASE("until it has released one") {
    queue.release("a");
    CHECK(next(queue) == "a3");
  }
  SUBCASE("for any time") { CHECK(next(queue).empty()); }
  SUBCASE("unless its limit is raised") {
    queue.set_held(3);
    CHECK(next(queue) == "a3");
  }
}

TEST_CASE("an idle slot is woken when its token may hold one more") {
  Queue queue({64, 32, 1});
  REQUIRE(put(queue, "a", "a1"));
  REQUIRE(put(queue, "a", "a2"));
  REQUIRE(next(queue) == "a1");
  auto second = std::async(std::launch::async, [&queue] {
    Seat seat;
    return queue.pop(seat).waiting;
  });
  CHECK(second.wait_for(std::chrono::milliseconds(50)) == std::future_status::timeout);
  queue.release("a");
  REQUIRE(second.wait_for(std::chrono::seconds(10)) == std::future_status::ready);
  CHECK(second.get()->id == "a2");
}

TEST_CASE("the limit is at least one slot per token") {
  Queue queue({64, 32, 4});
  queue.set_held(0);
  REQUIRE(put(queue, "a", "a1"));
  CHECK(next(queue) == "a1");
}

TEST_CASE(
    "a full queue, and a full part of a token, refuse with the limit that was reached; a drained one accepts again") {
  Queue queue({3, 2, 4});
  CHECK(put(queue, "a", "a1"));
  CHECK(put(queue, "a", "a2"));
  CHECK(ask(queue, "a", "a3") == Queue::Put::TokenFull);
  CHECK(put(queue, "b", "b1"));
  CHECK(ask(queue, "c", "c1") == Queue::Put::QueueFull);
  CHECK(queue.drain().size() == 3);
  CHECK(queue.size() == 0);
  CHECK(put(queue, "c", "c1"));
  CHECK(queue.close().size() == 1);
  CHECK(ask(queue, "c", "c2") == Queue::Put::Closed);
}

namespace {

// An idle slot, with a warm sandbox for the rules of `token` and `pattern`, or without one.
class Slot {
 public:
  explicit Slot(Queue& queue) : queue_(queue) {}
  Slot(Queue& queue, const std::string& token, const std::string& pattern, std::int64_t since_us)
      : queue_(queue), recipe_(recipe(token, pattern)) {
    seat_.warm = &recipe_;
    seat_.warm_since_us = since_us;
  }
  static Recipe recipe(const std::string& token, const std::string& pattern) {
    Recipe made{token, {}, false};
    made.rules.cli.deny = {{pattern, "BAND.md:1"}};
    return made;
  }

  // Returns when the slot's thread sleeps in pop(): slots wait in the order of these calls.
  void waits() {
    thread_ = 0;
    next_ = std::async(std::launch::async, [this] {
      thread_ = ::gettid();
      return queue_.pop(seat_);
    });
    REQUIRE(band::test::within(10'000, [this] { return sleeps(); }));
  }
  bool still_waits() { return next_.wait_for(std::chrono::milliseconds(50)) == std::future_status::timeout; }
  Queue::Next gets() {
    if (next_.wait_for(std::chrono::seconds(10)) == std::future_status::ready) return next_.get();
    queue_.close();
    FAIL("the slot still waits");
    return {};
  }
  std::string gets_id() {
    const Queue::Next next = gets();
    return next.waiting ? next.waiting->id : next.discard ? "(discard)" : "(closed)";
  }
  const Seat& seat() const { return seat_; }

 private:
  // Also true when pop() has returned.
  bool sleeps() const {
    if (next_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) return true;
    return band::test::thread_state(::getpid(), thread_) == 'S';
  }

  Queue& queue_;
  Recipe recipe_;
  Seat seat_;
  std::atomic<pid_t> thread_ = 0;
  std::future<Queue::Next> next_;
};

Waiting read_request(const std::string& id, const std::string& token, const std::string& pattern) {
  Waiting waiting;
  waiting.id = id;
  waiting.token = token;
  waiting.request.emplace();
  waiting.recipe = Slot::recipe(token, pattern);
  return waiting;
}

}  // namespace

TEST_CASE("a request is assigned to the slot that has waited longest with a warm sandbox of its token") {
  const std::int64_t now = band::base::monotonic_us();
  Queue queue({64, 32, 4});
  Slot cold(queue), other(queue, "b", "x", now), first(queue, "a", "x", now), second(queue, "a", "y", now);
  for (Slot* slot : {&cold, &other, &first, &second}) slot->waits();
  REQUIRE(put(queue, "a", "a1"));
  CHECK(first.gets_id() == "a1");
  SUBCASE("otherwise to one without a sandbox") {
    REQUIRE(put(queue, "c", "c1"));
    CHECK(cold.gets_id() == "c1");
    REQUIRE(put(queue, "c", "c2"));  // otherwise to any
    CHECK(other.gets_id() == "c2");
  }
  queue.close();
  if (second.still_waits()) FAIL("a closed queue lets a slot wait");
}

TEST_CASE("a token that repeats one recipe gets the slot with a sandbox for this recipe") {
  const std::int64_t now = band::base::monotonic_us();
  Queue queue({64, 32, 4});
  Slot older(queue, "a", "x", now), right(queue, "a", "y", now), cold(queue);
  for (Slot* slot : {&older, &right, &cold}) slot->waits();
  queue.note(Slot::recipe("a", "y"));
  queue.note(Slot::recipe("a", "y"));
  SUBCASE("while it repeats it") {
    queue.note(Slot::recipe("b", "x"));  // another token
    REQUIRE(put(queue, "a", "a1"));
    CHECK(right.gets_id() == "a1");
    REQUIRE(put(queue, "a", "a2"));  // otherwise any of its sandboxes
    CHECK(older.gets_id() == "a2");
    REQUIRE(put(queue, "a", "a3"));
    CHECK(cold.gets_id() == "a3");
  }
  SUBCASE("until another recipe comes") {
    queue.note(Slot::recipe("a", "x"));
    REQUIRE(put(queue, "a", "a1"));
    CHECK(older.gets_id() == "a1");
  }
  SUBCASE("until tokens are removed") {
    queue.forget_recipes();
    REQUIRE(put(queue, "a", "a1"));
    CHECK(older.gets_id() == "a1");
  }
  queue.close();
}

TEST_CASE("a request that was read is passed on to the slot that has a sandbox for exactly its rules") {
  const std::int64_t now = band::base::monotonic_us();
  Queue queue({64, 32, 4});
  Slot reader(queue, "a", "x", now), right(queue, "a", "y", now), other_token(queue, "b", "y", now), cold(queue);
  for (Slot* slot : {&other_token, &cold, &right}) slot->waits();
  Waiting waiting = read_request("a1", "a", "y");
  REQUIRE(queue.pass_on(waiting, reader.seat()));
  CHECK(right.gets_id() == "a1");
  SUBCASE("otherwise to one without a sandbox, so that the reader's sandbox is kept") {
    Waiting next = read_request("a2", "a", "z");
    REQUIRE(queue.pass_on(next, reader.seat()));
    CHECK(cold.gets_id() == "a2");
    Waiting third = read_request("a3", "a", "z");
    CHECK_FALSE(queue.pass_on(third, reader.seat()));  // not to the slot with another token's sandbox
    CHECK(third.id == "a3");
  }
  SUBCASE("a reader without a sandbox runs a request for which no other slot has one") {
    Slot without(queue);
    Waiting next = read_request("a2", "a", "z");
    CHECK_FALSE(queue.pass_on(next, without.seat()));
  }
  SUBCASE("a request that must start cold is passed to a slot without a sandbox") {
    Waiting next = read_request("a2", "a", "z");
    next.recipe.reset();
    REQUIRE(queue.pass_on(next, reader.seat()));
    CHECK(cold.gets_id() == "a2");
  }
  SUBCASE("a slot that has left the queue with another request gets none") {
    REQUIRE(put(queue, "b", "b1"));
    CHECK(other_token.gets_id() == "b1");
    Waiting next = read_request("b2", "b", "y");
    CHECK_FALSE(queue.pass_on(next, Slot(queue).seat()));
  }
  queue.close();
}

TEST_CASE("a request is passed on to a slot that was woken for another request, which another slot then gets") {
  const std::int64_t now = band::base::monotonic_us();
  Queue queue({64, 32, 1000});
  const Seat from;
  int passed = 0;
  for (int i = 0; i < 100 && passed < 3; ++i) {
    Slot right(queue, "a", "x", now), other(queue, "a", "y", now);
    right.waits();
    other.waits();
    REQUIRE(put(queue, "a", "a1"));  // wakes `right`, which usually needs some microseconds
    Waiting waiting = read_request("a2", "a", "x");
    const bool in_time = queue.pass_on(waiting, from);
    CHECK(right.gets_id() == (in_time ? "a2" : "a1"));
    if (!in_time) REQUIRE(put(queue, "a", "a3"));
    CHECK(other.gets_id() == (in_time ? "a1" : "a3"));
    passed += in_time ? 1 : 0;
  }
  CHECK(passed == 3);
}

TEST_CASE("a request is passed on to a slot that was not woken, if there is one") {
  const std::int64_t now = band::base::monotonic_us();
  Queue queue({64, 32, 1000});
  Slot first(queue, "a", "x", now), second(queue, "a", "x", now);
  first.waits();
  second.waits();
  REQUIRE(put(queue, "a", "a1"));
  const Seat from;
  Waiting waiting = read_request("a2", "a", "x");
  REQUIRE(queue.pass_on(waiting, from));
  CHECK(second.gets_id() == "a2");
  CHECK(first.gets_id() == "a1");
}

TEST_CASE("a warm sandbox waits for one minute") {
  const std::int64_t minute = 60'000'000;
  Queue queue({64, 32, 4});
  Slot old(queue, "a", "x", band::base::monotonic_us() - minute + 100'000);
  const std::int64_t from = band::base::monotonic_us();
  old.waits();
  CHECK(old.gets_id() == "(discard)");
  CHECK(band::base::monotonic_us() - from >= 99'000);
  Slot fresh(queue, "a", "x", band::base::monotonic_us());
  fresh.waits();
  CHECK(fresh.still_waits());
  queue.close();
  CHECK(fresh.gets_id() == "(closed)");
}

TEST_CASE("the sandbox that has waited longest is discarded for another, when it has waited for one second") {
  const std::int64_t now = band::base::monotonic_us();
  Queue queue({64, 32, 4});
  Slot cold(queue), young(queue, "a", "x", now - 800'000), old(queue, "a", "y", now - 1'200'000),
      older(queue, "b", "z", now - 1'400'000);
  for (Slot* slot : {&cold, &young, &old, &older}) slot->waits();
  queue.discard_settled(now);
  CHECK(older.gets_id() == "(discard)");
  queue.discard_settled(now);
  CHECK(old.gets_id() == "(discard)");
  queue.discard_settled(now);
  CHECK(young.still_waits());
  queue.close();
  CHECK(young.gets_id() == "(closed)");
  CHECK(cold.gets_id() == "(closed)");
}

TEST_CASE("slots are lacking when more requests wait than slots are idle") {
  Queue queue({64, 32, 1});
  CHECK(!queue.lacks_slots());
  REQUIRE(put(queue, "a", "a1"));
  CHECK(queue.lacks_slots());
  CHECK(next(queue) == "a1");
  REQUIRE(put(queue, "a", "a2"));  // its token is at its limit of slots
  auto waiting = std::async(std::launch::async, [&queue] {
    Seat seat;
    return queue.pop(seat).waiting;
  });
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (queue.lacks_slots() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  CHECK(!queue.lacks_slots());
  queue.close();
  CHECK(!waiting.get());
}
