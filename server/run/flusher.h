// Answers that their clients read slowly, written out by a thread of their own: no slot waits for a reader.
#pragma once

#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "server/base/fd.h"
#include "server/run/reply.h"

namespace band::run {

class Flusher {
 public:
  Flusher();
  ~Flusher();  // gives what is left two seconds
  Flusher(const Flusher&) = delete;
  Flusher& operator=(const Flusher&) = delete;

  // Writes the rest of it and closes it; at the latest 30 s from now. Most are written already and cost nothing here.
  void take(Reply reply);

 private:
  struct Unfinished {
    Reply reply;
    std::int64_t deadline_us = 0;
  };
  void run();
  bool take_new();  // false: told to end

  base::Fd wake_;  // eventfd(2)
  std::mutex mutex_;
  std::vector<Unfinished> fresh_;
  bool ending_ = false;
  std::vector<Unfinished> open_;  // the thread's own
  std::thread thread_;
};

}  // namespace band::run
