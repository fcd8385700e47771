// Sends requests to the server of a target, over HTTP (docs/architecture.md 6.9). The server must first prove that it
// has the token's hash (docs/architecture.md 5, row 1): another program may listen on the server's port. Messages from
// the server are validated also after the proof.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "client/targets/targets.h"
#include "client/transport/request_text.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"
#include "schemas/wire/features.h"
#include "schemas/wire/wire.h"

namespace band::client {

// Callbacks while a script runs, called on the thread of execute(). Each of them may be empty. Texts are passed as the
// server sent them, not escaped for terminals. With ExecRequest::sends_raw, `data` can contain any bytes.
struct Listener {
  // Called before `started`, once for each limit that is lower on this server than in the band, with a text for the
  // user.
  std::function<void(const std::string& text)> limit;
  std::function<void(const std::string& id)> started;
  std::function<void(bool is_stderr, const std::string& data)> log;
};

// One connection to one server. After a method has returned an error, use a new Daemon for further requests.
class Daemon {
 public:
  explicit Daemon(const Target& target);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // Requests the proof. Must be called first. All later requests use the connection on which the server sent the proof.
  // If this connection is lost, later requests fail; they are never sent on a new connection, because another program
  // may have taken the port. Errors: Code::ServerUnreachable; Code::Unauthorized when the target's token has a wrong
  // form, or when the response has no proof or a wrong one; for the HTTP statuses 429 and 503, the error of
  // error_of_status().
  Status prove();

  // Returns whether prove() received a response that contains a proof, correct or wrong.
  bool answered_with_proof() const;
  // Returns how many milliseconds the server's clock was ahead of this machine's clock at prove(). 0 if the server did
  // not send its time.
  std::int64_t clock_ahead_ms() const;
  // Returns the digest and the features that the server sent with its proof.
  const ServerBuild& build() const;

  // Returns the answer to GET /v1/health.
  Result<Json> health();
  // Ends an execution of the same token. Error (Code::BadRequest): there is no such execution.
  Status cancel(const std::string& execution);

  // Sends the request, and returns when the script has ended; this includes the time in the server's queue. `limits`:
  // the limits of the request; they determine how long execute() waits, and the maximum size of the answer. The Answer
  // of a failed script contains an error. An Error is returned when there is no Answer (Code::ServerBusy, Unauthorized,
  // BadRequest, ServerUnreachable ...). Code::SandboxUnavailable: the server lacks a feature that the request needs;
  // the request was not sent.
  Result<Answer> execute(const RequestText& text, const EffectiveLimits& limits, const Listener& listener);

  // Sends standard input to an execution that has started and whose request has set ExecRequest::stdin_open or
  // ExecRequest::terminal. `next` returns the next bytes of the input, in any number, or "" at EOF. If `next` returns
  // nullopt, send_input() closes the connection and returns an error, and the server ends the execution. The parameter
  // `answer` of `next` is a socket that becomes readable when the server accepts no more input; `next` must then return
  // "". send_input() returns when the script has read all input, has closed its stdin, or has ended. Errors: the server
  // refuses the request, or the connection is lost.
  Status send_input(const std::string& execution, const EffectiveLimits& limits,
                    const std::function<std::optional<std::string>(int answer)>& next);

  void stop();  // may be called from another thread; the current and later requests fail with Code::Cancelled

 private:
  Status check_features(const std::vector<Feature>& needs);

  struct Connection;
  std::unique_ptr<Connection> connection_;
};

// ---- pure ---------------------------------------------------------------------------------------------------------

// Parses an answer that the server sends as a stream of events, one line of JSON each. feed() may be called with any
// number of bytes, also with a part of an event. An event of more than `max_line` bytes is an error.
class EventReader {
 public:
  EventReader(std::size_t max_line, Listener listener) : max_line_(max_line), listener_(std::move(listener)) {}

  Status feed(std::string_view bytes);
  Result<Answer> finish();  // after the last byte; error if the stream had no answer
  bool has_answer() const { return answered_; }

 private:
  Status line(std::string_view text);

  std::size_t max_line_;
  Listener listener_;
  std::string buffer_, id_;
  bool answered_ = false;
  Answer answer_;
};

// Converts a response with a status other than 200 to an Error. `retry_after`: the value of the header Retry-After, or
// "". If it is a number of seconds and the status is 503, this time is added to the hint. If the server has sent no
// details, the error's details then become `{"retryAfterMs": ...}`.
Error error_of_status(int status, std::string_view body, std::string_view retry_after, const Target& target);
// Returns whether the error states that the server's ceiling denies files of the request (permit() in schemas/permit).
bool refuses_files(const Error& error);
// Returns `retryAfterMs` of the error's details, but at most one hour; nullopt if the details do not have it.
std::optional<int> retry_after_ms(const Error& error);

}  // namespace band::client
