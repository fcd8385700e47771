// The server of a target, over HTTP (design section 11). It is not trusted before it has proved that it knows the
// token, and what it says is checked after, too.
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

// What is heard while a script runs. Called on the thread of execute(); texts are as the server sent them. A log that
// is sent raw (ExecRequest::sends_raw) has any bytes.
struct Listener {
  std::function<void(const std::string& text)> limit;  // lower here than the band asks for; before `started`
  std::function<void(const std::string& id)> started;
  std::function<void(bool is_stderr, const std::string& data)> log;
};

// One connection to one server. A method that fails leaves it unusable.
class Daemon {
 public:
  explicit Daemon(const Target& target);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // Must come first. From then on everything goes over the connection on which the server proved itself; when that is
  // lost, requests fail instead of going to whoever listens then. Errors: Code::ServerUnreachable, Code::Unauthorized.
  Status prove();

  // Did the last prove() get an answer with a proof in it, right or wrong?
  bool answered_with_proof() const;
  // How far the server's clock is ahead of this machine's, when it proved itself, in milliseconds. 0 when it did not
  // say.
  std::int64_t clock_ahead_ms() const;

  Result<Json> health();

  // Waits in the server's queue and for the end of the script. An Answer may hold an error of its own; an Error here
  // means that there is no answer (Code::ServerBusy, Unauthorized, BadRequest, ServerUnreachable ...).
  Result<Answer> execute(std::string_view body, const EffectiveLimits& limits, const Listener& listener);

  // The standard input of an execution that asked for it (ExecRequest::stdin_open) and has started. `next` gives its
  // pieces; "" is its end, nullopt breaks it off, which ends the execution. `answer`: a socket that becomes readable
  // when the server wants no more; "" is right then, too. Returns when the script has read all of it, reads no more, or
  // has ended. Error: the server refuses it, or the connection is lost.
  Status send_input(const std::string& execution, const EffectiveLimits& limits,
                    const std::function<std::optional<std::string>(int answer)>& next);

  void stop();  // from another thread: what is going on fails with Code::Cancelled

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

// ---- pure ---------------------------------------------------------------------------------------------------------

// Takes the bytes of an answer of events, in any pieces. At most `max_line` bytes are kept at a time.
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

// An answer that is no 200, as an Error. `retry_after` is the header's text, or empty; of a 503 its seconds are in the
// hint, and as `retryAfterMs` in the details where the server has put nothing there.
Error error_of_status(int status, std::string_view body, std::string_view retry_after, const Target& target);
// `retryAfterMs` of an error's details, at most an hour.
std::optional<int> retry_after_ms(const Error& error);

}  // namespace band::client
