// Who runs next: a bounded queue, fair between callers. A caller is its token.
#pragma once

#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "server/base/fd.h"
#include "server/run/cancellation.h"
#include "server/run/reply.h"

namespace band::run {

struct Waiting {
  std::string id, token;
  std::int64_t queued_us = 0;
  base::Fd body;  // memfd with the request
  Reply reply;
  std::shared_ptr<Cancellation> cancellation;
};

class Queue {
 public:
  Queue(int length, int per_token) : length_(length), per_token_(per_token) {}

  // False, with `waiting` untouched, when the queue or the caller's part of it is full, or closed.
  bool put(Waiting& waiting);
  // Blocks; nullopt once closed. Callers take turns, each in the order of its own requests.
  std::optional<Waiting> take();
  // No more; returns what still waits.
  std::deque<Waiting> close();
  int size() const;

 private:
  const int length_, per_token_;
  mutable std::mutex mutex_;
  std::condition_variable filled_;
  std::map<std::string, std::deque<Waiting>> by_token_;
  std::list<std::string> turns_;  // tokens with something waiting, the next in front
  int size_ = 0;
  bool closed_ = false;
};

}  // namespace band::run
