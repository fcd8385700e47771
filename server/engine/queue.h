// Who runs next: a bounded queue, fair between callers, and how many slots a caller may hold. A caller is its token.
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

#include "server/base/fd.h"
#include "server/execution/cancellation.h"
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
};

class Queue {
 public:
  struct Bounds {
    int length = 64;     // requests that wait, of all tokens
    int per_token = 32;  // of one
    int held = 4;        // slots that one token holds at a time; what is running is never ended for it
  };
  explicit Queue(Bounds bounds) : bounds_(bounds) {}

  // Waits: `waiting` is in the queue. Else it is untouched, and this is why.
  enum class Put { Waits, QueueFull, TokenFull, Closed };
  Put put(Waiting& waiting);
  // Blocks; nullopt once closed. Tokens that hold fewer slots than they may are served in turns, each in the order of
  // its own requests. The token then holds one slot more, until release().
  std::optional<Waiting> pop();
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

 private:
  std::list<std::string>::iterator next_turn();
  std::deque<Waiting> remove_all();  // under the mutex

  Bounds bounds_;
  mutable std::mutex mutex_;
  std::condition_variable filled_;
  std::map<std::string, std::deque<Waiting>> by_token_;
  std::map<std::string, int> held_;  // slots, by token
  std::list<std::string> turns_;     // tokens with something waiting, the next in front
  int size_ = 0;
  bool closed_ = false;
};

}  // namespace band::run
