// Decides which request runs next, and in which slot. The queue is bounded and fair between callers, and limits the
// slots that the executions of one caller occupy at a time. A caller is identified by its token.
//
// A slot may have a warm sandbox, which was made ahead of the request (docs/architecture.md 2). A warm sandbox is made
// for one *recipe*: token, rules, and whether there is standard input. Each idle slot waits in a Seat. A request
// preferably gets a slot whose warm sandbox was made for the request's recipe.
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
  std::optional<Recipe> recipe;  // absent: the request cannot use a warm sandbox
};

// The place where an idle slot waits. The slot's thread sets `warm` and `warm_since_us` before it waits; the queue uses
// the other members.
struct Seat {
  const Recipe* warm = nullptr;  // recipe of the warm sandbox in the slot; null: none
  std::int64_t warm_since_us = 0;

  std::condition_variable wake;
  bool called = false;    // the slot was woken, and has not yet looked for what it must do
  bool discards = false;  // the slot must discard its warm sandbox
  std::optional<Waiting> given;
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
  // Blocks until the slot has something to do. Tokens below their limit of slots take turns (round-robin); requests of
  // the same token run in the order of arrival. A returned request counts as one slot of its token until release().
  struct Next {
    std::optional<Waiting> waiting;  // nullopt and `discard` is false: the queue is closed
    bool discard = false;            // discard the warm sandbox, then call pop() again
  };
  Next pop(Seat& seat);
  // Call it when the body of `waiting` was read and the slot of `seat` has no warm sandbox for the recipe of `waiting`.
  // Passes `waiting` to an idle slot that has a warm sandbox for this recipe. If there is no such slot and the slot of
  // `seat` has a sandbox for another recipe, passes `waiting` to an idle slot without a sandbox. Returns false when no
  // slot was found: `waiting` is then unchanged, and the slot of `seat` must run `waiting`.
  bool pass_on(Waiting& waiting, const Seat& seat);
  // Call it when the recipe of a request was read. The queue guesses the recipe of the token's next request, of which
  // it has only the token: the same again if the token's last two requests had equal recipes. Requests without a recipe
  // do not count.
  void note(const Recipe& recipe);
  void forget_recipes();  // call it when tokens were removed
  // Finds the idle slot whose warm sandbox has waited longest. If this sandbox has waited at least kSettledUs, makes
  // the slot discard it.
  void discard_settled(std::int64_t now_us);
  // Call it when the slot that was counted for `token` is free again.
  void release(const std::string& token);
  // Sets Bounds::held (at least 1) for the next calls of pop(). Ends no execution.
  void set_held(int held);
  // Empties the queue, which stays open; returns the removed requests.
  std::deque<Waiting> drain();
  // Removes and returns the requests for which `which` is true.
  std::deque<Waiting> withdraw(const std::function<bool(const Waiting&)>& which);
  // Closes the queue; returns the requests that still wait.
  std::deque<Waiting> close();
  int size() const;
  bool lacks_slots() const;  // true when more requests wait than slots are idle

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
