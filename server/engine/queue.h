// Decides which request runs next, and in which slot (the place for one execution at a time, with a thread of its own).
// The queue is bounded and fair between callers, and limits the slots that the executions of one caller occupy at a
// time. A caller is identified by its token. Queue is thread-safe.
//
// A slot may have a warm sandbox, which was made ahead of the request (docs/architecture.md 2). A warm sandbox is made
// for one *recipe*: token, rules, and whether there is standard input. A request preferably gets a slot whose warm
// sandbox was made for the request's recipe. The recipe is in the body of the request, which is read on the slot's
// thread. Therefore the queue first chooses a slot by the token, and pass_on() can pass the request to another slot
// when the recipe is known.
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

// A request that waits for a slot.
struct Waiting {
  std::string id, token;  // id of the execution; `token`: see caller() in engine.h
  std::int64_t queued_us = 0;
  base::Fd body;  // memfd with the request
  ReplyWriter reply;
  std::shared_ptr<Cancellation> cancellation;
  std::shared_ptr<InputDoor> input;
  // Set when a slot has read the body:
  std::optional<ExecRequest> request;
  std::optional<Recipe> recipe;  // absent: the request cannot use a warm sandbox
};

// The place in the queue where an idle slot waits. The slot's thread sets `warm` and `warm_since_us` before it calls
// pop(); the queue uses the other members.
struct Seat {
  const Recipe* warm = nullptr;  // recipe of the warm sandbox in the slot; null: none
  std::int64_t warm_since_us = 0;

  std::condition_variable wake;
  bool called = false;           // the slot's thread was woken, and has not yet checked why
  bool discards = false;         // the slot must discard its warm sandbox
  std::optional<Waiting> given;  // a request that pass_on() has passed to this slot
};

class Queue {
 public:
  struct Bounds {
    int length = 64;     // waiting requests of all tokens
    int per_token = 32;  // waiting requests per token
    int held = 4;        // maximum number of slots that executions of one token occupy at a time
  };
  static constexpr std::int64_t kMostWarmUs = 60'000'000;  // how long a warm sandbox may wait for a request
  // How long a warm sandbox must have waited before it may be discarded in favour of a sandbox for another recipe.
  static constexpr std::int64_t kSettledUs = 1'000'000;
  explicit Queue(Bounds bounds) : bounds_(bounds) {}

  // Returns Waits when `waiting` was moved into the queue. Otherwise `waiting` is unchanged, and the result is the
  // reason.
  enum class Put { Waits, QueueFull, TokenFull, Closed };
  Put put(Waiting& waiting);
  // Blocks until the slot of `seat` has something to do. Tokens below their limit of slots (Bounds::held) take turns
  // (round-robin); requests of the same token run in the order of arrival. A returned request counts as one slot of its
  // token until release().
  struct Next {
    std::optional<Waiting> waiting;  // nullopt and `discard` is false: the queue is closed
    bool discard = false;            // discard the warm sandbox, then call pop() again
  };
  Next pop(Seat& seat);
  // Call it when the body of `waiting` was read and the slot of `seat` has no warm sandbox for the recipe of `waiting`.
  // Passes `waiting` to an idle slot that has a warm sandbox for this recipe. If there is no such slot and the slot of
  // `seat` has a sandbox for another recipe, passes `waiting` to an idle slot without a sandbox, so that the other
  // sandbox is kept. Returns false when no slot was found or the queue is closed: `waiting` is then unchanged, and the
  // slot of `seat` must run `waiting`.
  bool pass_on(Waiting& waiting, const Seat& seat);
  // Call it when the recipe of a request was read. When the next request of the token arrives, the queue has not read
  // its body and guesses its recipe: if the token's last two requests had equal recipes, the queue prefers a slot whose
  // sandbox has this recipe. Requests without a recipe are ignored.
  void note(const Recipe& recipe);
  void forget_recipes();  // call it when tokens were removed
  // Finds the idle slot whose warm sandbox has waited longest. If this sandbox has waited at least kSettledUs, makes
  // the slot discard the sandbox. `now_us`: base::monotonic_us().
  void discard_settled(std::int64_t now_us);
  // Call it when a slot that pop() counted for `token` is free again.
  void release(const std::string& token);
  // Sets Bounds::held for the next requests; a value below 1 counts as 1. Ends no execution.
  void set_held(int held);
  // Empties the queue, which stays open; returns the removed requests.
  std::deque<Waiting> drain();
  // Removes and returns the requests for which `which` is true.
  std::deque<Waiting> withdraw(const std::function<bool(const Waiting&)>& which);
  // Closes the queue; returns the requests that still wait.
  std::deque<Waiting> close();
  int size() const;
  bool lacks_slots() const;  // true when the number of waiting requests exceeds the number of idle slots

 private:
  // The following functions require mutex_.
  std::list<std::string>::iterator next_turn();
  Waiting take(std::list<std::string>::iterator turn);
  void call_one();
  Seat* best_seat(const std::string& token) const;
  Seat* better_seat(const Waiting& waiting, const Seat& from) const;  // for pass_on(); null: none
  std::deque<Waiting> remove_all();

  static constexpr std::size_t kMostGuesses = 64;
  Bounds bounds_;
  mutable std::mutex mutex_;
  std::list<Seat*> seats_;  // idle slots, the newest last
  std::map<std::string, std::deque<Waiting>> by_token_;
  std::map<std::string, int> held_;  // occupied slots, by token
  struct Last {
    Recipe recipe;          // the recipe in the token's last request
    bool repeated = false;  // the request before it had the same recipe
  };
  std::map<std::string, Last> last_;  // by token; at most kMostGuesses
  std::list<std::string> turns_;      // tokens with waiting requests, the next one first
  int size_ = 0;
  bool closed_ = false;
};

}  // namespace band::run
