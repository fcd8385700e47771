// The server of a target, over HTTP (docs/architecture.md 6.9). It is not trusted before it has proved that it has the
// token, and its messages are validated afterwards, too.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "client/targets/targets.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"

namespace band::client {

// Callbacks while a script runs, called on the thread of execute(). Texts are unchanged from the server. With
// ExecRequest::sends_raw a log can contain any bytes.
struct Listener {
  std::function<void(const std::string& text)>
      limit;  // a limit is lower on this server than the band requests; called before `started`
  std::function<void(const std::string& id)> started;
  std::function<void(bool is_stderr, const std::string& data)> log;
};

// One connection to one server. After a method has failed it is unusable.
class Daemon {
 public:
  explicit Daemon(const Target& target);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // Must be called first. All later requests use the connection on which the server proved its identity. If it is lost
  // they fail, so that nothing is sent to another program on that port. Errors: Code::ServerUnreachable,
  // Code::Unauthorized.
  Status prove();

  // Returns whether the last prove() received a response with a proof, correct or not.
  bool answered_with_proof() const;
  // Returns how many milliseconds the server's clock was ahead of this machine's clock at prove(). 0 if the server did
  // not send its time.
  std::int64_t clock_ahead_ms() const;

  Result<Json> health();

  // Waits in the server's queue and until the script ends. The Answer of a failed script contains an error. An Error
  // here means that there is no Answer (Code::ServerBusy, Unauthorized, BadRequest, ServerUnreachable ...).
  Result<Answer> execute(std::string_view body, const EffectiveLimits& limits, const Listener& listener);

  // Sends the standard input of an execution that requested it (ExecRequest::stdin_open) and has started. `next`
  // returns its pieces; "" is EOF; nullopt closes the connection, which ends the execution. `answer`: a socket that
  // becomes readable when the server accepts no more input; `next` then returns "". Returns when the script has read
  // all of it, has closed its stdin, or has ended. Error: the server refuses the request, or the connection is lost.
  Status send_input(const std::string& execution, const EffectiveLimits& limits,
                    const std::function<std::optional<std::string>(int answer)>& next);

  void stop();  // from another thread: the request in progress fails with Code::Cancelled

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

// ---- pure ---------------------------------------------------------------------------------------------------------

// Parses an answer that is a stream of events, in pieces of any size. Buffers at most `max_line` bytes.
class EventReader {
 public:
  EventReader(std::size_t max_line, Listener listener) : max_line_(max_line), listener_(std::move(listener)) {}

  Status feed(std::string_view bytes);
  Result<Answer> finish();
  bool has_answer() const { return answered_; }

 private:
  Status line(std::string_view text);

  std::size_t max_line_;
  Listener listener_;
  std::string buffer_, id_;
  bool answered_ = false;
  Answer answer_;
};

// Converts a response with a status other than 200 to an Error. `retry_after`: the header's text, or empty. For a 503
// its seconds are added to the hint, and as `retryAfterMs` to the details if the server sent none.
Error error_of_status(int status, std::string_view body, std::string_view retry_after, const Target& target);
// Returns `retryAfterMs` of an error's details, at most one hour.
std::optional<int> retry_after_ms(const Error& error);

}  // namespace band::client
