// Decides which request runs next, and in which slot: a bounded queue, fair between callers, with a limit of slots per
// caller. A caller is its token. Idle slots wait in seats; a seat with a warm sandbox gets the executions that the
// sandbox was made for.
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
  // Set when a slot has read the body:
  std::optional<ExecRequest> request;
  std::optional<Recipe> recipe;  // absent: it cannot use a warm sandbox
};

// The place where an idle slot waits. Its thread sets the first two members while it does not wait; the queue uses the
// others.
struct Seat {
  const Recipe* warm = nullptr;  // recipe of the warm sandbox in the slot; null: none
  std::int64_t warm_since_us = 0;

  std::condition_variable wake;
  bool called = false;    // the slot has something to do
  bool discards = false;  // the slot must discard its warm sandbox
  std::optional<Waiting> given;
};

class Queue {
 public:
  struct Bounds {
    int length = 64;     // waiting requests of all tokens
    int per_token = 32;  // waiting requests per token
    int held = 4;        // slots per token at a time; lowering it ends no running execution
  };
  static constexpr std::int64_t kMostWarmUs = 60'000'000;  // how long a warm sandbox may wait
  static constexpr std::int64_t kSettledUs = 5'000'000;    // older ones are discarded in favour of others
  explicit Queue(Bounds bounds) : bounds_(bounds) {}

  // Waits: `waiting` was moved into the queue. Otherwise it is unchanged, and the value is the reason.
  enum class Put { Waits, QueueFull, TokenFull, Closed };
  Put put(Waiting& waiting);
  // Blocks until the slot has something to do. Tokens below their limit of slots are served round-robin, each in the
  // order of its own requests. The token then holds one more slot until release().
  struct Next {
    std::optional<Waiting> waiting;  // with neither member, the queue is closed
    bool discard = false;            // discard the warm sandbox, then call pop() again
  };
  Next pop(Seat& seat);
  // Call it when `waiting` was read and `seat` has no warm sandbox for it. Passes `waiting` to an idle slot with the
  // right sandbox; otherwise, if `seat` has another sandbox, to an idle slot without one. Returns false when `waiting`
  // is unchanged and the slot of `seat` must run it.
  bool pass_on(Waiting& waiting, const Seat& seat);
  // The slot whose warm sandbox has waited longest discards it, if it is older than kSettledUs.
  void discard_settled(std::int64_t now_us);
  void release(const std::string& token);
  // Sets the limit of slots per token, at least 1, for the next calls of pop().
  void set_held(int held);
  // Empties the queue, which stays open; returns the removed requests.
  std::deque<Waiting> drain();
  // Removes and returns the requests for which `which` is true.
  std::deque<Waiting> withdraw(const std::function<bool(const Waiting&)>& which);
  // Closes the queue; returns the requests that still wait.
  std::deque<Waiting> close();
  int size() const;
  bool lacks_slots() const;  // more requests wait than slots are idle

 private:
  std::list<std::string>::iterator next_turn();
  Waiting take(std::list<std::string>::iterator turn);
  void call_one();  // all three require mutex_
  Seat* best_seat(const std::string& token) const;
  std::deque<Waiting> remove_all();  // requires mutex_

  Bounds bounds_;
  mutable std::mutex mutex_;
  std::list<Seat*> seats_;  // idle slots, the newest last
  std::map<std::string, std::deque<Waiting>> by_token_;
  std::map<std::string, int> held_;  // slots, by token
  std::list<std::string> turns_;     // tokens with waiting requests, the next one first
  int size_ = 0;
  bool closed_ = false;
};

}  // namespace band::run
