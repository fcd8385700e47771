#include "server/engine/queue.h"

#include <doctest/doctest.h>

#include <chrono>
#include <future>

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

// What the next free slot gets; "" while it waits. At the end the queue is closed, so that nobody waits for ever.
std::string next(Queue& queue) {
  auto waiting = std::async(std::launch::async, [&queue] { return queue.pop(); });
  if (waiting.wait_for(std::chrono::milliseconds(100)) == std::future_status::ready) return waiting.get()->id;
  queue.close();
  CHECK(!waiting.get());
  return "";
}

}  // namespace

TEST_CASE("tokens take turns, each in the order of its own requests") {
  Queue queue({64, 32, 4});
  for (const char* id : {"a1", "a2", "a3"}) REQUIRE(put(queue, "a", id));
  REQUIRE(put(queue, "b", "b1"));
  std::string order;
  for (int i = 0; i < 4; ++i) order += next(queue) + " ";
  CHECK(order == "a1 b1 a2 a3 ");
}

TEST_CASE("a token that holds as many slots as it may waits, and others go past it") {
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
  SUBCASE("however long") { CHECK(next(queue).empty()); }
  SUBCASE("unless it may hold more from now on") {
    queue.set_held(3);
    CHECK(next(queue) == "a3");
  }
}

TEST_CASE("a slot that waits for work is woken when its token may hold one more") {
  Queue queue({64, 32, 1});
  REQUIRE(put(queue, "a", "a1"));
  REQUIRE(put(queue, "a", "a2"));
  REQUIRE(next(queue) == "a1");
  auto second = std::async(std::launch::async, [&queue] { return queue.pop(); });
  CHECK(second.wait_for(std::chrono::milliseconds(50)) == std::future_status::timeout);
  queue.release("a");
  REQUIRE(second.wait_for(std::chrono::seconds(10)) == std::future_status::ready);
  CHECK(second.get()->id == "a2");
}

TEST_CASE("nobody may hold less than one slot") {
  Queue queue({64, 32, 4});
  queue.set_held(0);
  REQUIRE(put(queue, "a", "a1"));
  CHECK(next(queue) == "a1");
}

TEST_CASE("a full queue, or a full part of a token, takes nothing more and says which; a drained one does") {
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
