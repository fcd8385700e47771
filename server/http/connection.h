// One client's TCP connection: reads and writes with deadlines, finds the end of each body, and sends refusals.
//
// Each deadline limits the total time for a head, a body or an answer, not the time of a single read or write. A client
// that sends one byte per second therefore gains no time.
//
// One thread serves a connection (the connection's thread). Other threads may only call state(), since_us(), born_us(),
// ended(), end() and expire(). end() fails in State::Busy, while a request is processed or its execution runs. While
// the client does not read the answer, the state is State::Stalled, in which end() succeeds. end() sends SIGUSR1 to the
// connection's thread to interrupt that thread's ppoll(2); outside ppoll(2), all threads of this process block SIGUSR1.
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

// Time limit for the head of a request. For a connection's first request the time begins with accept(2), for a later
// request with the first byte of the head.
inline constexpr std::int64_t kHeadMs = 10'000;
// Time limit for the pause between two requests on one connection. The band client pauses less than 1 ms between the
// answer to GET /v1/proof and its next request.
inline constexpr std::int64_t kIdleMs = 5'000;
// Time limit for a body; one second is added for each kBytesPerSecond bytes received.
inline constexpr std::int64_t kBodyMs = 60'000;
// Limit of the total time during which a client does not read its answer; one second is added for each kBytesPerSecond
// bytes sent.
inline constexpr std::int64_t kStalledMs = 30'000;
// Limit of a single wait for a client whose token was revoked during its answer. poll(2) reports that a socket is
// writable when a third of its send buffer is free.
inline constexpr std::int64_t kExpiredStallMs = 1'000;
inline constexpr std::int64_t kBytesPerSecond = 64 << 10;
// How long linger() reads and discards the client's data after the last answer, so that the client can read that
// answer.
inline constexpr std::int64_t kLingerMs = 2'000;
// Used in place of kLingerMs after a 503 that was sent before the body was complete. This time is longer, because many
// clients send the whole body before they read an answer.
inline constexpr std::int64_t kLingerInBodyMs = 10'000;

enum class State {
  Busy,       // a request is processed, or its execution runs: end() fails
  Waiting,    // waits for the head of a request
  Receiving,  // receives a body
  Queued,     // the request waits in the engine's queue
  Stalled,    // the client does not read the answer (the execution may still run and send events)
  Lingering,  // the last answer was sent: linger()
  Ended,      // after end(): the connection's thread sends why(), unless it has already begun an answer
  Shut,       // after end() of a waiting or lingering connection: the socket is shut down
};

// Installs the handler of SIGUSR1 and blocks the signal. Call it once in the process, before the first thread.
void prepare_waking();

class Connection {
 public:
  // `socket`: connected and non-blocking. `peer` is for the log.
  Connection(base::Fd socket, std::string peer);

  enum class Got { Head, Closed, Refused };
  // Waits for the head of the next request; `text` receives the head with its empty line. Closed: the client
  // disconnected or sent nothing in time, or another thread called end() or expire(). Refused: the head was too slow or
  // too large; `no` is the answer.
  Got read_head(std::string& text, Refusal& no);

  // Call it after the head of each request, before read_body(). `frame` finds the end of the body.
  void expect_body(http1::BodyFrame frame);
  // Reads the next bytes of the body's content (the body without its framing). Returns the number of bytes; 0 at the
  // end of the body. Returns -1 when the client disconnected before the end of the body, was too slow, or framed the
  // body wrongly, and after refuse() or end(). Bytes after the end of the body are kept for the next request.
  ssize_t read_body(char* into, std::size_t size);
  // Like read_body(), but does not wait: returns 0 also when no byte has arrived; body_done() distinguishes this from
  // the end of the body.
  ssize_t read_body_now(char* into, std::size_t size);
  bool body_done() const { return body_.done(); }
  bool body_too_large() const { return body_.too_large(); }
  bool timed_out() const { return timed_out_; }

  // Sends all bytes and returns `size`. Returns -1 when the client disconnected or is too slow, when another thread
  // ends the connection while write() waits for the client, and after refuse().
  ssize_t write(const char* bytes, std::size_t size);
  // Sends an error answer with `Connection: close`. Afterwards write() and read_body() fail, and the connection ends.
  void refuse(const Refusal& no);
  // Call it when a refusal was sent or the client has disconnected: from then on nothing is read or written.
  void abandon() { refused_ = true; }
  // Returns true when the client closed the connection or shut down its sending half. band-http treats both as a
  // disconnected client.
  bool peer_gone() const;
  // Ends the connection so that the client can still read the last answer: shuts down the sending half, then reads and
  // discards the client's bytes until the client closes, at most for kLingerMs or kLingerInBodyMs. A close(2) with
  // unread bytes would send an RST, and the client's kernel would then discard the answer.
  void linger();

  // Called by the connection's thread: sets the state. Returns false and keeps the state when another thread has ended
  // the connection.
  bool become(State next);
  // Called by another thread: ends the connection. `why` is sent to the client if the connection's thread can still
  // send an answer. The caller must make sure that this thread has not exited. Returns false when the connection is
  // busy, has already been ended, or has received bytes that may be the head of a request.
  bool end(const Refusal& why);
  bool ended() const { return state_ == State::Ended; }
  const Refusal& why() const { return why_; }  // valid once ended()
  State state() const { return state_; }
  std::int64_t since_us() const { return since_us_; }  // when the current state began (monotonic_us)
  // When the connection was accepted, or when its last proof was answered (monotonic_us).
  std::int64_t born_us() const { return born_us_; }
  void proof_answered();  // sets born_us() to now: a new grace period begins (kGraceUs in fairness.h)
  // Called by another thread when the connection's token was removed: no further request is read; an answer in progress
  // is completed unless one wait for the client lasts kExpiredStallMs.
  void expire() { expired_ = true; }

  // As poll(2), but returns -1 with EINTR when another thread ends the connection of the calling thread.
  static int poll(pollfd* fds, nfds_t count, int ms);

  int socket() const { return socket_.get(); }
  const std::string& peer() const { return peer_; }
  bool refused() const { return refused_; }               // true also after abandon()
  int refused_status() const { return refused_status_; }  // 0 after abandon()
  std::uint64_t bytes_in() const { return in_; }          // since start_request()
  std::uint64_t bytes_out() const { return out_; }
  // Call it before read_head() for each request: resets the counters of bytes and the limit of allow_stall().
  void start_request() { in_ = out_ = 0, stalled_us_ = 0, stall_ms_ = kStalledMs; }
  // Raises the limit kStalledMs to `ms` for the answer to the current request; a smaller value has no effect.
  void allow_stall(std::int64_t ms) { stall_ms_ = std::max(stall_ms_, ms); }

 private:
  Got wait_for_head(std::string& text, Refusal& no);
  // Waits for `events` of poll(2). Returns the events that occurred; 0 at the deadline, or when ended().
  short wait_for(short events, std::int64_t deadline_us) const;
  // Appends received bytes to buffer_, without waiting. Returns as recv(2), but never fails with EINTR.
  ssize_t receive();
  // Moves the next part of the body's content from held() to `into`. Returns the size of the part; 0 when held() has no
  // content.
  ssize_t take_content(char* into, std::size_t size);
  // Waits for bytes and appends them to buffer_. Returns 1 when bytes were appended, 0 at EOF, -1 on an error or at the
  // deadline (timed_out_ is then set).
  int fill(std::int64_t deadline_us);
  std::string_view held() const { return std::string_view(buffer_).substr(taken_); }
  void drop(std::size_t bytes);  // wipes the first `bytes` bytes of held() and removes them

  base::Fd socket_;
  std::string peer_;
  std::atomic<State> state_ = State::Waiting;  // end() may be called before the connection's thread runs
  std::atomic<std::int64_t> since_us_;
  std::atomic<std::int64_t> born_us_;
  std::atomic<bool> expired_ = false;
  std::atomic<pthread_t> thread_{};  // set before the first state other than Waiting
  Refusal why_;                      // written before state_ becomes Ended
  std::string buffer_;               // received bytes
  std::size_t taken_ = 0;            // how many bytes of buffer_ were removed by drop()
  http1::BodyFrame body_;
  std::int64_t body_started_us_ = 0, stalled_us_ = 0, stall_ms_ = kStalledMs;
  std::uint64_t in_ = 0, out_ = 0;
  bool first_ = true, timed_out_ = false, refused_ = false;
  int refused_status_ = 0;
};

// Returns the bytes of an error answer in the form of schemas/openapi.yaml.
std::string refusal_text(const Refusal& no);

}  // namespace band::http
