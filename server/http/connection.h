// One client's TCP connection: bytes in and out with deadlines, the end of each body, and the one way to say no.
//
// Deadlines are totals, not per read: a client that sends a byte a second gets as far as one that sends nothing.
//
// A connection is its own thread's; another thread can only end it, and only in a state in which that loses no
// execution (State). The thread is woken by SIGUSR1, which this process blocks everywhere but in ppoll(2).
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

inline constexpr std::int64_t kHeadMs = 10'000;     // from the first byte (or accept) to the end of the headers
inline constexpr std::int64_t kIdleMs = 5'000;      // between two requests; a proof and its request are 1 ms apart
inline constexpr std::int64_t kBodyMs = 60'000;     // plus a second for every kBytesPerSecond that came
inline constexpr std::int64_t kStalledMs = 30'000;  // spent waiting for the client to take an answer; plus the same
inline constexpr std::int64_t kBytesPerSecond = 64 << 10;
inline constexpr std::int64_t kLingerMs = 2'000;  // reading what a refused client still sends, so that it sees why
// The same for 503 in the middle of a body: many clients read nothing before they have sent it.
inline constexpr std::int64_t kLingerInBodyMs = 10'000;

enum class State {
  Busy,       // something is computed, or an execution runs: never ended
  Waiting,    // for a request's head
  Receiving,  // a body
  Queued,     // its request has gone to the engine, and no slot has taken it
  Stalled,    // the client takes nothing of an answer
  Lingering,  // the last answer is out
  Ended,      // another thread has ended it: why() is answered, if an answer can still be
  Shut,       // another thread has closed it
};

// Once in the process, before its first thread.
void prepare_waking();

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
  // The same for what has come, without waiting: 0, too, where nothing has.
  ssize_t read_body_now(char* into, std::size_t size);
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

  // By its own thread: the state from now on. False: another thread has ended it, it stays as it is.
  bool become(State next);
  // By another thread that knows that the connection's own is still there. False: it is busy, or has been ended before.
  bool end(const Refusal& why);
  bool ended() const { return state_ == State::Ended; }
  const Refusal& why() const { return why_; }  // once ended()
  State state() const { return state_; }
  std::int64_t since_us() const { return since_us_; }  // in this state (monotonic_us)
  std::int64_t born_us() const { return born_us_; }
  void proof_answered();  // counts as new again
  // After the answer that is on its way, if any, no request is read on it. From another thread.
  void expire() { expired_ = true; }

  // As poll(2), but ends early, with -1 and EINTR, when another thread ends the connection.
  static int poll(pollfd* fds, nfds_t count, int ms);

  int socket() const { return socket_.get(); }
  const std::string& peer() const { return peer_; }
  bool refused() const { return refused_; }               // or abandoned
  int refused_status() const { return refused_status_; }  // 0: abandoned
  std::uint64_t bytes_in() const { return in_; }
  std::uint64_t bytes_out() const { return out_; }
  void start_request() { in_ = out_ = 0, stalled_us_ = 0, stall_ms_ = kStalledMs; }
  // Of this request's answer: the client may take nothing for so long, if that is more than kStalledMs.
  void allow_stall(std::int64_t ms) { stall_ms_ = std::max(stall_ms_, ms); }

 private:
  Got wait_for_head(std::string& text, Refusal& no);
  // The events that came; 0 at the deadline, or when ended().
  short wait_for(short events, std::int64_t deadline_us) const;
  // Appends what has come to buffer_: as recv(2), without EINTR.
  ssize_t receive();
  // The next run of the body's content in held(); 0 when it has none.
  ssize_t take_content(char* into, std::size_t size);
  // Appends to buffer_; 1: some bytes, 0: end of the stream, -1: error or deadline (timed_out_ tells).
  int fill(std::int64_t deadline_us);
  std::string_view held() const { return std::string_view(buffer_).substr(taken_); }
  void drop(std::size_t bytes);  // of held(), from its front, and out of memory

  base::Fd socket_;
  std::string peer_;
  std::atomic<State> state_ = State::Waiting;  // from birth: it may be ended before its thread runs
  std::atomic<std::int64_t> since_us_;
  std::atomic<std::int64_t> born_us_;
  std::atomic<bool> expired_ = false;
  std::atomic<pthread_t> thread_{};  // known before the first state that is not Waiting
  Refusal why_;                      // written before Ended
  std::string buffer_;               // what came
  std::size_t taken_ = 0;            // and how much of it was handed out
  http1::BodyFrame body_;
  std::int64_t body_started_us_ = 0, stalled_us_ = 0, stall_ms_ = kStalledMs;
  std::uint64_t in_ = 0, out_ = 0;
  bool first_ = true, timed_out_ = false, refused_ = false;
  int refused_status_ = 0;
};

// The bytes of an error answer, as schemas/openapi.yaml has it.
std::string refusal_text(const Refusal& no);

}  // namespace band::http
