// Sends answers that their clients read slowly, in a separate thread, so that no slot waits for a client.
//
// All answers share a memory budget. Each answer has a deadline, which moves back with each byte that its client reads.
// When the budget is used up, the answer with the earliest deadline is dropped first. Its client receives a truncated
// body.
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
    std::size_t bytes = 4 * kMaxBodyBytes;  // the same as band-http's for requests
    // From the end of the execution; longer if its client was promised more (ReplyWriter::stall_ms) and few bytes are
    // left. This value and the next are the same as band-http's.
    std::int64_t patience_us = 30'000'000;
    std::int64_t bytes_per_second = 64 << 10;
  };

  explicit Flusher(Bounds bounds);
  Flusher() : Flusher(Bounds{}) {}
  ~Flusher();  // continues for up to two seconds with unsent answers
  Flusher(const Flusher&) = delete;
  Flusher& operator=(const Flusher&) = delete;

  // Sends the rest of the answer and closes it. Never blocks; most answers are already sent and cost nothing here.
  void add(ReplyWriter reply);

 private:
  struct Unfinished {
    ReplyWriter reply;
    std::int64_t since_us = 0;
    std::size_t taken_before = 0;  // by the socket's buffer, before the client read anything
  };
  void run();
  bool adopt_new();  // false: the destructor has ended the thread
  void drop_done(std::int64_t now_us);
  void drop_beyond_budget();
  void give_up(const ReplyWriter& reply, const char* why);
  std::int64_t usual_deadline_us(const Unfinished& each) const;
  std::int64_t deadline_us(const Unfinished& each) const;  // including the time that its client was promised
  int wait_ms(std::int64_t end_us) const;

  const Bounds bounds_;
  base::Fd wake_;  // eventfd(2)
  std::mutex mutex_;
  std::vector<Unfinished> fresh_;
  bool ending_ = false;
  std::vector<Unfinished> open_;  // used only by the thread, as is:
  base::LineQuota lines_{10};
  std::thread thread_;
};

}  // namespace band::run
