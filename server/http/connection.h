// One client's TCP connection: reads and writes with deadlines, finds the end of each body, and sends refusals.
//
// Deadlines limit the total time, not each read: a client that sends one byte per second gains no time.
//
// A connection belongs to its own thread. Another thread can only end it, and only in a state in which no execution is
// lost by this (State). SIGUSR1 wakes the thread; this process blocks it everywhere except in ppoll(2).
#pragma once

#include <poll.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/base/fd.h"
#include "server/http/head.h"
#include "server/http1/body.h"

namespace band::http {

inline constexpr std::int64_t kHeadMs = 10'000;  // limit of a request's head, from its first byte or from accept
inline constexpr std::int64_t kIdleMs = 5'000;   // between two requests; a proof and its request are 1 ms apart
inline constexpr std::int64_t kBodyMs = 60'000;  // plus one second for each kBytesPerSecond received
inline constexpr std::int64_t kStalledMs =
    30'000;  // total wait for the client to read an answer; plus one second for each kBytesPerSecond sent
inline constexpr std::int64_t kBytesPerSecond = 64 << 10;
inline constexpr std::int64_t kLingerMs =
    2'000;  // how long a refused client's data is read on, so that it receives the refusal
// The same for 503 during a body: many clients read nothing before they have sent the whole body.
inline constexpr std::int64_t kLingerInBodyMs = 10'000;

enum class State {
  Busy,       // computes, or an execution runs: cannot be ended
  Waiting,    // waits for a request's head
  Receiving,  // receives a body
  Queued,     // its request was sent to the engine, and no slot has started it
  Stalled,    // the client does not read the answer
  Lingering,  // the last answer was sent
  Ended,      // ended by another thread: its own thread answers why(), if an answer is still possible
  Shut,       // shut down by another thread
};

// Call it once in the process, before the first thread.
void prepare_waking();

class Connection {
 public:
  // `socket`: connected and non-blocking. `peer` is for the log.
  Connection(base::Fd socket, std::string peer);

  enum class Got { Head, Closed, Refused };
  // Waits for the next request's head, up to and including its empty line. Refused: too slow or too large; `no` is set.
  Got read_head(std::string& text, Refusal& no);

  void expect_body(http1::BodyFrame frame);
  // Reads content of the body. Returns as read(2): 0 at the body's end; -1 when the client disconnected early, was too
  // slow, or framed the body wrongly. Never reads a byte after the body's end.
  ssize_t read_body(char* into, std::size_t size);
  // The same without waiting: returns 0 also when no byte has arrived.
  ssize_t read_body_now(char* into, std::size_t size);
  bool body_done() const { return body_.done(); }
  bool body_too_large() const { return body_.too_large(); }
  bool timed_out() const { return timed_out_; }

  // Sends all bytes and returns `size`; -1 when the client disconnected or is too slow, or after refuse().
  ssize_t write(const char* bytes, std::size_t size);
  // Sends an error answer and `Connection: close`; from then on write() and read_body() fail, and the connection ends.
  void refuse(const Refusal& no);
  // Marks the connection as finished, because a refusal was sent or the client disconnected: nothing further is read or
  // written.
  void abandon() { refused_ = true; }
  // True when the client closed, or shut down its sending half; band treats both as disconnected.
  bool peer_gone() const;
  // Ends the connection so that the client can still read the last answer; an RST (close(2) with unread bytes) would
  // discard it.
  void linger();

  // Called by its own thread: sets the state. Returns false, and changes nothing, when another thread has ended it.
  bool become(State next);
  // Called by another thread, which must know that the connection's thread is still running. Returns false when the
  // connection is busy or was already ended.
  bool end(const Refusal& why);
  bool ended() const { return state_ == State::Ended; }
  const Refusal& why() const { return why_; }  // valid once ended()
  State state() const { return state_; }
  std::int64_t since_us() const { return since_us_; }  // when the current state began (monotonic_us)
  std::int64_t born_us() const { return born_us_; }
  void proof_answered();  // treats the connection as new again (kGraceUs)
  // Called by another thread: after the answer in progress, if any, no further request is read.
  void expire() { expired_ = true; }

  // As poll(2), but returns -1 with EINTR when another thread ends the connection.
  static int poll(pollfd* fds, nfds_t count, int ms);

  int socket() const { return socket_.get(); }
  const std::string& peer() const { return peer_; }
  bool refused() const { return refused_; }               // true also after abandon()
  int refused_status() const { return refused_status_; }  // 0 after abandon()
  std::uint64_t bytes_in() const { return in_; }
  std::uint64_t bytes_out() const { return out_; }
  void start_request() { in_ = out_ = 0, stalled_us_ = 0, stall_ms_ = kStalledMs; }
  // For this request's answer: raises the limit kStalledMs to `ms`; a smaller value has no effect.
  void allow_stall(std::int64_t ms) { stall_ms_ = std::max(stall_ms_, ms); }

 private:
  Got wait_for_head(std::string& text, Refusal& no);
  // Returns the events; 0 at the deadline, or when ended().
  short wait_for(short events, std::int64_t deadline_us) const;
  // Appends received bytes to buffer_. Returns as recv(2), but never fails with EINTR.
  ssize_t receive();
  // Copies the next part of the body's content from held() to `into`. Returns its size; 0 when held() has no content.
  ssize_t take_content(char* into, std::size_t size);
  // Appends to buffer_. Returns 1: some bytes; 0: EOF; -1: error or deadline (timed_out_ is then set).
  int fill(std::int64_t deadline_us);
  std::string_view held() const { return std::string_view(buffer_).substr(taken_); }
  void drop(std::size_t bytes);  // wipes the first `bytes` of held() and removes them

  base::Fd socket_;
  std::string peer_;
  std::atomic<State> state_ = State::Waiting;  // initially: it may be ended before its thread runs
  std::atomic<std::int64_t> since_us_;
  std::atomic<std::int64_t> born_us_;
  std::atomic<bool> expired_ = false;
  std::atomic<pthread_t> thread_{};  // set before the first state other than Waiting
  Refusal why_;                      // written before Ended
  std::string buffer_;               // received bytes
  std::size_t taken_ = 0;            // how many of them were consumed
  http1::BodyFrame body_;
  std::int64_t body_started_us_ = 0, stalled_us_ = 0, stall_ms_ = kStalledMs;
  std::uint64_t in_ = 0, out_ = 0;
  bool first_ = true, timed_out_ = false, refused_ = false;
  int refused_status_ = 0;
};

// Returns the bytes of an error answer in the form of schemas/openapi.yaml.
std::string refusal_text(const Refusal& no);

}  // namespace band::http
