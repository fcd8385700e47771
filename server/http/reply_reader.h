// The engine's answer on a reply socket (link.h), and what of it goes to the client.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "server/base/fd.h"
#include "server/http/connection.h"
#include "server/http/head.h"

namespace band::http {

// Turns the engine's lines into the client's bytes without holding or parsing an answer, which may have 90 MiB. Pure.
// Events: every line as it is. Answer: of the last line, {"event":"result","answer":X}, only X.
class ReplyFilter {
 public:
  enum class Mode { Events, Answer };
  explicit ReplyFilter(Mode mode) : mode_(mode) {}

  void feed(std::string_view bytes, std::string& out);
  bool complete() const { return complete_; }  // the result came whole
  bool failed() const { return failed_; }      // the engine sent something else than link.h says

 private:
  void start_line(std::string_view& bytes, std::string& out);
  void end_line(std::string& out);

  Mode mode_;
  std::string begun_;  // of a line, while too short to tell what it is
  enum class Line { Start, Event, Result } line_ = Line::Start;
  std::string tail_;  // of an answer: its last byte so far, which may be the closing brace of the line
  bool complete_ = false, failed_ = false;
};

// One reply socket, read while the client is watched. Destroying it tells the engine that the client is gone.
class ReplyReader {
 public:
  explicit ReplyReader(base::Fd socket) : socket_(std::move(socket)) {}

  enum class Wait { Data, End, ClientGone, Ended, TimedOut };  // Ended: Connection::ended()
  // Waits for bytes, at most until `deadline_us` (0: for ever), and appends them to pending().
  Wait more(const Connection& client, std::int64_t deadline_us);
  std::string& pending() { return pending_; }
  int socket() const { return socket_.get(); }

 private:
  base::Fd socket_;
  std::string pending_;
};

// The first line. Ready: status 200, events follow; the client may leave them unread for `stall_ms`, or, where that is
// 0, for as long as any answer. Gone: the client is. Refusal: what to answer.
struct Ready {
  std::int64_t stall_ms = 0;
};
struct Gone {};
using Admission = std::variant<Ready, Gone, Refusal>;
Admission read_admission(ReplyReader& reply, const Connection& client, std::int64_t deadline_us);

// For short answers (health, metrics, cancel): everything up to the engine's close, at most 1 MiB.
std::variant<std::string, Gone, Refusal> read_rest(ReplyReader& reply, const Connection& client,
                                                   std::int64_t deadline_us);

Refusal engine_failed(std::string what);
Refusal engine_gone();  // stopped or killed: no fault in it, as far as anybody can tell from here

}  // namespace band::http
