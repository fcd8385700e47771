// Answers that their clients read slowly, written out by a thread of their own: no slot waits for a reader.
//
// All of them together have a budget of memory. A reader has a patience, and earns more of it with what it takes; when
// there is no memory left, the answer whose patience ends first is given up first: the one that waits longest and is
// read slowest, never a slot. What a client gets of an answer that was given up breaks off.
#pragma once

#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "schemas/wire/wire.h"
#include "server/base/fd.h"
#include "server/base/line_quota.h"
#include "server/http_link/reply_writer.h"

namespace band::run {

class Flusher {
 public:
  struct Bounds {
    std::size_t bytes = 4 * kMaxBodyBytes;  // as band-http has for requests
    // From the end of the execution, unless its reader was promised more (ReplyWriter::stall_ms) and the rest is small;
    // as band-http's, so is what follows.
    std::int64_t patience_us = 30'000'000;
    std::int64_t bytes_per_second = 64 << 10;
  };

  explicit Flusher(Bounds bounds);
  Flusher() : Flusher(Bounds{}) {}
  ~Flusher();  // gives what is left two seconds
  Flusher(const Flusher&) = delete;
  Flusher& operator=(const Flusher&) = delete;

  // Writes the rest of it and closes it. Never blocks; most are written already and cost nothing here.
  void add(ReplyWriter reply);

 private:
  struct Unfinished {
    ReplyWriter reply;
    std::int64_t since_us = 0;
    std::size_t taken_before = 0;  // by the socket's buffer, which is no reader
  };
  void run();
  bool adopt_new();  // false: told to end
  void drop_done(std::int64_t now_us);
  void drop_beyond_budget();
  void give_up(const ReplyWriter& reply, const char* why);
  std::int64_t usual_deadline_us(const Unfinished& each) const;
  std::int64_t deadline_us(const Unfinished& each) const;  // with what its reader was promised
  int wait_ms(std::int64_t end_us) const;

  const Bounds bounds_;
  base::Fd wake_;  // eventfd(2)
  std::mutex mutex_;
  std::vector<Unfinished> fresh_;
  bool ending_ = false;
  std::vector<Unfinished> open_;  // the thread's own, and so are:
  base::LineQuota lines_{10};
  std::thread thread_;
};

}  // namespace band::run
