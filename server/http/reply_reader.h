// Reads the engine's answer on a reply socket (server/http_link/link.h), and selects the part that is sent to the
// client.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "server/base/fd.h"
#include "server/http/connection.h"
#include "server/http/head.h"

namespace band::http {

// Converts the engine's lines to the bytes for the client. Pure. An answer may have 90 MiB, so it is neither buffered
// nor parsed. Mode::Events passes every line on unchanged. Mode::Answer passes on only X of the last line,
// {"event":"result","answer":X}.
class ReplyFilter {
 public:
  enum class Mode { Events, Answer };
  explicit ReplyFilter(Mode mode) : mode_(mode) {}

  void feed(std::string_view bytes, std::string& out);
  bool complete() const { return complete_; }  // the complete result was passed on
  bool failed() const { return failed_; }      // the engine violated the protocol (link.h)

 private:
  void start_line(std::string_view& bytes, std::string& out);
  void end_line(std::string& out);

  Mode mode_;
  std::string begun_;  // beginning of a line, until it is long enough to identify the line's event
  enum class Line { Start, Event, Result } line_ = Line::Start;
  // The last received byte of the result line; held back, because it may be the closing brace, which is not passed on.
  std::string tail_;
  bool complete_ = false, failed_ = false;
};

// Reads one reply socket and detects when the client disconnects. The destructor closes the socket; the engine treats a
// closed socket as a disconnected client.
class ReplyReader {
 public:
  explicit ReplyReader(base::Fd socket) : socket_(std::move(socket)) {}

  // End: the engine closed the socket. Ended: another thread ended the client's connection (Connection::ended()).
  enum class Wait { Data, End, ClientGone, Ended, TimedOut };
  // Waits for bytes and appends them to pending(). Returns TimedOut at `deadline_us` (monotonic_us(); 0: no deadline).
  Wait more(const Connection& client, std::int64_t deadline_us);
  std::string& pending() { return pending_; }
  int socket() const { return socket_.get(); }

 private:
  base::Fd socket_;
  std::string pending_;
};

// Reads the engine's first line. Ready: status 200, events follow. Gone: the client disconnected. Refusal: the answer
// for the client. `stall_ms` is how long the client may leave the events unread; 0: the default (kStalledMs).
struct Ready {
  std::int64_t stall_ms = 0;
};
struct Gone {};
using Admission = std::variant<Ready, Gone, Refusal>;
Admission read_admission(ReplyReader& reply, const Connection& client, std::int64_t deadline_us);

// For short answers (health, metrics, cancel, input): reads until the engine closes the socket, at most 1 MiB, and
// returns what the engine sent after the first line. Gone: the client disconnected. Refusal: the answer for the client.
std::variant<std::string, Gone, Refusal> read_rest(ReplyReader& reply, const Connection& client,
                                                   std::int64_t deadline_us);

Refusal engine_failed(std::string what);
Refusal engine_gone();  // the engine was stopped, killed, or has crashed; band-http cannot distinguish these

}  // namespace band::http
