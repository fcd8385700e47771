// Sends the rest of answers that clients read slowly, in a separate thread, so that no slot waits for a client.
//
// All answers share a memory budget. Each answer has a deadline; each byte that the client reads makes the deadline
// later. An answer is dropped at its deadline. When the answers exceed the budget, the answer with the earliest
// deadline is dropped first. The client of a dropped answer receives a truncated body.
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
    std::size_t bytes = 4 * kMaxBodyBytes;  // the same limit as that of band-http for requests
    // The deadline of an answer: this time after the end of the execution, plus one second for each `bytes_per_second`
    // bytes that the client has read. An answer that needs at most 4 MiB of memory has at least
    // ReplyWriter::stall_ms(). Both values are the same as in band-http (kStalledMs, kBytesPerSecond).
    std::int64_t patience_us = 30'000'000;
    std::int64_t bytes_per_second = 64 << 10;
  };

  explicit Flusher(Bounds bounds);
  Flusher() : Flusher(Bounds{}) {}
  ~Flusher();  // sends for up to two more seconds
  Flusher(const Flusher&) = delete;
  Flusher& operator=(const Flusher&) = delete;

  // Sends the rest of the answer and closes the reply socket. Never blocks. Most answers are already sent completely
  // and cost nothing here.
  void add(ReplyWriter reply);

 private:
  struct Unfinished {
    ReplyWriter reply;
    std::int64_t since_us = 0;
    std::size_t taken_before = 0;  // bytes that the socket's buffer accepted before the client read any
  };
  void run();
  bool adopt_new();  // false: the destructor has ended the thread
  void drop_done(std::int64_t now_us);
  void drop_beyond_budget();
  void give_up(const ReplyWriter& reply, const char* why);
  std::int64_t usual_deadline_us(const Unfinished& each) const;
  std::int64_t deadline_us(const Unfinished& each) const;  // with stall_ms()
  int wait_ms(std::int64_t end_us) const;

  const Bounds bounds_;
  base::Fd wake_;  // eventfd(2)
  std::mutex mutex_;
  std::vector<Unfinished> fresh_;
  bool ending_ = false;
  // Used only by the thread:
  std::vector<Unfinished> open_;
  base::LineQuota lines_{10};
  std::thread thread_;
};

}  // namespace band::run
