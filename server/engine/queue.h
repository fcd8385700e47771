// Who runs next, and in which slot: a bounded queue, fair between callers, and how many slots a caller may hold. A
// caller is its token. Slots that have nothing to do wait in seats; one with a warm sandbox gets the executions that
// the sandbox is for.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "schemas/wire/wire.h"
#include "server/base/fd.h"
#include "server/execution/cancellation.h"
#include "server/execution/recipe.h"
#include "server/execution/standard_input.h"
#include "server/http_link/reply_writer.h"

namespace band::run {

struct Waiting {
  std::string id, token;
  std::int64_t queued_us = 0;
  base::Fd body;  // memfd with the request
  ReplyWriter reply;
  std::shared_ptr<Cancellation> cancellation;
  std::shared_ptr<InputDoor> input;
  // Once a slot has read the body:
  std::optional<ExecRequest> request;
  std::optional<Recipe> recipe;  // absent: it starts cold
};

// Where a slot waits. Its thread sets the first two while it does not wait; the others are the queue's.
struct Seat {
  const Recipe* warm = nullptr;  // of the sandbox that waits in the slot; null: none does
  std::int64_t warm_since_us = 0;

  std::condition_variable wake;
  bool called = false;    // there is something for it
  bool discards = false;  // its warm sandbox is to go
  std::optional<Waiting> given;
};

class Queue {
 public:
  struct Bounds {
    int length = 64;     // requests that wait, of all tokens
    int per_token = 32;  // of one
    int held = 4;        // slots that one token holds at a time; what is running is never ended for it
  };
  static constexpr std::int64_t kMostWarmUs = 60'000'000;  // that a warm sandbox waits
  static constexpr std::int64_t kSettledUs = 5'000'000;    // older ones make room for others
  explicit Queue(Bounds bounds) : bounds_(bounds) {}

  // Waits: `waiting` is in the queue. Else it is untouched, and this is why.
  enum class Put { Waits, QueueFull, TokenFull, Closed };
  Put put(Waiting& waiting);
  // Blocks until there is something for the slot. Tokens that hold fewer slots than they may are served in turns, each
  // in the order of its own requests. The token then holds one slot more, until release().
  struct Next {
    std::optional<Waiting> waiting;  // neither: the queue is closed
    bool discard = false;            // the warm sandbox goes, and the slot comes back
  };
  Next pop(Seat& seat);
  // `waiting` was read, and the warm sandbox of `seat` is not for it (or there is none): hands it to a slot that waits
  // with the right one. Else, if `seat` has another one, to a slot that waits with none. False: it is untouched, and
  // the slot of `seat` runs it.
  bool pass_on(Waiting& waiting, const Seat& seat);
  // The slot that has waited the longest with its warm sandbox discards it, if it is older than kSettledUs.
  void discard_settled(std::int64_t now_us);
  void release(const std::string& token);
  // From the next pop() on: how many slots one token holds at a time, at least 1.
  void set_held(int held);
  // Empties the queue, which stays open; returns what waited.
  std::deque<Waiting> drain();
  // Takes out what `which` holds for.
  std::deque<Waiting> withdraw(const std::function<bool(const Waiting&)>& which);
  // No more; returns what still waits.
  std::deque<Waiting> close();
  int size() const;
  bool lacks_slots() const;  // more wait than slots have nothing to do

 private:
  std::list<std::string>::iterator next_turn();
  Waiting take(std::list<std::string>::iterator turn);
  void call_one();  // all three under the mutex
  Seat* best_seat(const std::string& token) const;
  std::deque<Waiting> remove_all();  // under the mutex

  Bounds bounds_;
  mutable std::mutex mutex_;
  std::list<Seat*> seats_;  // of the slots that wait, the last to come at the end
  std::map<std::string, std::deque<Waiting>> by_token_;
  std::map<std::string, int> held_;  // slots, by token
  std::list<std::string> turns_;     // tokens with something waiting, the next in front
  int size_ = 0;
  bool closed_ = false;
};

}  // namespace band::run
