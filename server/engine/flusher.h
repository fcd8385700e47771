// Sends the rest of answers that clients read slowly, in a separate thread, so that no thread that runs executions
// waits for a client.
//
// All answers share a memory budget (Bounds::bytes). The deadline of an answer is timeout_us after the end of the
// execution, plus one second for each bytes_per_second bytes that were sent since then. An answer is dropped at its
// deadline. When the answers together exceed the budget, the answer with the earliest deadline is dropped first; the
// last remaining answer is kept. The client of a dropped answer receives a truncated body.
// Exception: an execution can permit its client to leave the answer unread for ReplyWriter::stall_ms() milliseconds. If
// at most 4 MiB of such an answer are unsent, its deadline is not before stall_ms() after the end of the execution.
// This later deadline is not used when answers are dropped because of the budget.
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
    std::size_t bytes = 4 * kMaxBodyBytes;  // as much as band-http has for the bodies of requests
    // Both values are the same as in band-http (kStalledMs, kBytesPerSecond).
    std::int64_t timeout_us = 30'000'000;
    std::int64_t bytes_per_second = 64 << 10;
  };

  explicit Flusher(Bounds bounds);
  Flusher() : Flusher(Bounds{}) {}
  ~Flusher();  // continues to send for up to two seconds
  Flusher(const Flusher&) = delete;
  Flusher& operator=(const Flusher&) = delete;

  // Sends the rest of the answer and closes the reply socket. Call it when the answer is complete, on any thread. Never
  // blocks: bytes that the socket does not accept immediately are sent by the separate thread. Most answers have been
  // sent completely before the call.
  void add(ReplyWriter reply);

 private:
  struct Unfinished {
    ReplyWriter reply;
    std::int64_t since_us = 0;
    std::size_t taken_before = 0;  // bytes that the socket had accepted at the end of the execution
  };
  void run();
  bool adopt_new();  // false: the destructor was called, and the thread must end
  void drop_done(std::int64_t now_us);
  void drop_beyond_budget();
  void give_up(const ReplyWriter& reply, const char* why);
  std::int64_t usual_deadline_us(const Unfinished& each) const;
  std::int64_t deadline_us(const Unfinished& each) const;  // like usual_deadline_us(), but with stall_ms()
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
