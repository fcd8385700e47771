// One client's TCP connection: bytes in and out with deadlines, the end of each body, and the one way to say no.
//
// Deadlines are totals, not per read: a client that sends a byte a second gets as far as one that sends nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/base/fd.h"
#include "server/http/head.h"
#include "server/http1/body.h"

namespace band::http {

inline constexpr std::int64_t kHeadMs = 10'000;     // from the first byte (or accept) to the end of the headers
inline constexpr std::int64_t kIdleMs = 5'000;      // between two requests; a proof and its request are 1 ms apart
inline constexpr std::int64_t kBodyMs = 60'000;     // plus a second for every kBytesPerSecond that came
inline constexpr std::int64_t kStalledMs = 30'000;  // spent waiting for the client to take an answer; plus the same
inline constexpr std::int64_t kBytesPerSecond = 64 << 10;
inline constexpr std::int64_t kLingerMs = 2'000;  // reading what a refused client still sends, so that it sees why

class Connection {
 public:
  // `socket`: connected and non-blocking. `peer` is for the log.
  Connection(base::Fd socket, std::string peer);

  enum class Got { Head, Closed, Refused };
  // Waits for the next request's head, complete with its empty line. Refused: `no` says why (too slow, too large).
  Got read_head(std::string& text, Refusal& no);

  void expect_body(http1::BodyFrame frame);
  // The body's content, as read(2): 0 at its end, -1 when the client left early, was too slow, or framed it wrongly.
  // Never takes a byte behind the body's end.
  ssize_t read_body(char* into, std::size_t size);
  bool body_done() const { return body_.done(); }
  bool body_too_large() const { return body_.too_large(); }
  bool timed_out() const { return timed_out_; }

  // As send(2) of everything, -1 when the client is gone or takes too long, or after refuse().
  ssize_t write(const char* bytes, std::size_t size);
  // Sends an error answer and `Connection: close`; from then on write() and read_body() fail, and the connection ends.
  void refuse(const Refusal& no);
  // Nothing more is to be written or read: a refusal is out, or the client is gone.
  void abandon() { refused_ = true; }
  // The client closed, or shut down its sending half: band takes both for "gone".
  bool peer_gone() const;
  // Ends the connection so that the client can still read the last answer: see close(2) and TCP RST.
  void linger();

  // Closes the connection if it waits for a request's head, or lingers; called by other threads.
  bool evict();
  // Since when it waits (monotonic_us), 0: it does not.
  std::int64_t waiting_since() const { return state_ == State::Waiting ? waiting_since_us_.load() : 0; }

  int socket() const { return socket_.get(); }
  const std::string& peer() const { return peer_; }
  bool refused() const { return refused_; }               // or abandoned
  int refused_status() const { return refused_status_; }  // 0: abandoned
  std::uint64_t bytes_in() const { return in_; }
  std::uint64_t bytes_out() const { return out_; }
  void start_request() { in_ = out_ = 0, stalled_us_ = 0; }

 private:
  Got wait_for_head(std::string& text, Refusal& no);
  void start_waiting();
  // Appends to buffer_; 1: some bytes, 0: end of the stream, -1: error or deadline (timed_out_ tells).
  int fill(std::int64_t deadline_us);
  std::string_view held() const { return std::string_view(buffer_).substr(taken_); }
  void drop(std::size_t bytes);  // of held(), from its front, and out of memory

  enum class State { Waiting, Busy, Evicted };  // Waiting: nothing is lost by closing it

  base::Fd socket_;
  std::string peer_;
  std::atomic<State> state_ = State::Waiting;  // from birth: it may be evicted before its thread runs
  std::atomic<std::int64_t> waiting_since_us_;
  std::string buffer_;     // what came
  std::size_t taken_ = 0;  // and how much of it was handed out
  http1::BodyFrame body_;
  std::int64_t body_started_us_ = 0, stalled_us_ = 0;
  std::uint64_t in_ = 0, out_ = 0;
  bool first_ = true, timed_out_ = false, refused_ = false;
  int refused_status_ = 0;
};

// The bytes of an error answer, as schemas/openapi.yaml has it.
std::string refusal_text(const Refusal& no);

}  // namespace band::http
