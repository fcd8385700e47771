#include "client/transport/daemon.h"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "client/transport/http.h"
#include "schemas/core/json.h"

namespace band::client {
namespace {

using Seconds = HttpConnection::Seconds;

constexpr Seconds kSending{60}, kShortAnswer{15};
constexpr std::int64_t kAnswerMarginMs =
    120'000;  // added to the script's own time: start, teardown, transfer of the output
constexpr std::size_t kMaxShortAnswer = 1u << 20;
constexpr std::size_t kAnswerBase = 64u << 20;  // logs, ledger, metrics
constexpr std::size_t kAnswerMost = 1u << 30;

using Clock = std::chrono::steady_clock;

// Milliseconds, including the time before and after the script's own run.
std::int64_t longest_run(const EffectiveLimits& limits) {
  return std::min(limits.maxRuntimeMs, kMostMs) + kAnswerMarginMs;
}

// `then`: milliseconds since 1970 from the server; may be any number.
std::int64_t ahead_of_own_clock(std::int64_t then) {
  constexpr std::int64_t kMost = 1'000'000'000'000'000;  // the year 33658
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::clamp(then, -kMost, kMost) - std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

// Returns the text of a member, cut to a length that fits into a message; "" if the member is missing or not a text.
std::string text_in(const Json& object, const char* name) {
  constexpr std::size_t kMost = 64;
  if (!object.is_object() || !object.contains(name) || !object[name].is_string()) return "";
  return object[name].get<std::string>().substr(0, kMost);
}

Error not_proved() {
  return Error{.code = Code::Internal,
               .doing = "a request must not be sent before the server has proved that it has the token's hash"};
}

}  // namespace

struct Daemon::Connection {
  explicit Connection(const Target& t)
      : target(t), server_port(t.server_port != 0 ? t.server_port : t.port), http(t.host, t.port) {}

  struct Reply {
    int status = 0;
    std::string body, retry_after;
  };

  using Sink = std::function<Status(std::string_view)>;

  // `sink` receives the body of a 200; other bodies are returned, up to a limit. The sink may change `deadline`.
  Result<Reply> send(const HttpRequest& request, const Sink& sink, const Clock::time_point* deadline) {
    Reply reply;
    HttpHead head;
    std::optional<Error> failure;
    const auto take = [&](std::string_view bytes) {
      if (deadline != nullptr && Clock::now() > *deadline) {
        failure = Error{.code = Code::ServerUnreachable,
                        .doing = "the server did not end the script within limit.maxRuntimeMs",
                        .hint = "check the server with `band status`"};
        return false;
      }
      Status taken = done();
      if (head.status == 200 && sink)
        taken = sink(bytes);
      else if (reply.body.size() + bytes.size() > kMaxShortAnswer)
        taken = Error{.code = Code::Internal,
                      .doing = "the server's answer exceeds 1 MiB",
                      .hint = "check with `band status` whether band-server has this port"};
      else
        reply.body.append(bytes);
      if (!taken.ok()) failure = std::move(taken).error();
      return !failure.has_value();
    };
    if (stopped) return Error{.code = Code::Cancelled, .doing = "interrupted"};
    if (proved && !http.alive()) return closed_after_proof();
    const auto failed = http.send(request, head, take);
    if (failure) return std::move(*failure);
    if (stopped) return Error{.code = Code::Cancelled, .doing = "interrupted"};
    if (failed) return unreachable(*failed);
    reply.status = head.status;
    reply.retry_after = std::move(head.retry_after);
    return reply;
  }

  std::string where() const { return "the server of target " + target.name + " at " + target.url; }

  // A new connection could lead to another program, which has not proved its identity.
  Error closed_after_proof() const {
    return Error{.code = Code::ServerUnreachable,
                 .doing = where() + " closed the connection after it had proved its identity",
                 .hint = "run again; nothing was sent"};
  }

  Error unreachable(const HttpFailure& failed) const {
    using Step = HttpFailure::Step;
    const std::string start = way_to_start(target);
    if (failed.step == Step::Connect)
      return Error{.code = Code::ServerUnreachable, .doing = "cannot reach " + where(), .hint = start};
    if (failed.timed_out)
      return Error{.code = Code::ServerUnreachable,
                   .doing = where() + (failed.step == Step::Send ? " does not read the request" : " does not answer"),
                   .hint = "see the server's log, or restart the server: " + start};
    if (failed.step == Step::Send)
      return Error{.code = Code::ServerUnreachable,
                   .doing = where() + " closed the connection while the request was sent",
                   .hint = "the server may be full or stopping: check it with `band status`, then run again"};
    if (failed.closed)
      return Error{.code = Code::ServerUnreachable,
                   .doing = where() + " closed the connection before it answered",
                   .hint = "check with `band status` whether the server runs; the server's log has the reason"};
    return Error{
        .code = Code::ServerUnreachable, .doing = where() + " does not answer (" + failed.text + ")", .hint = start};
  }

  HttpRequest request(const char* method, const std::string& path) const {
    HttpRequest made{method, path, {}, {}, {}};
    // The server accepts only its own port in this field, even if the client connects through a tunnel or a forwarded
    // port.
    made.fields = {{"Host", "127.0.0.1:" + std::to_string(server_port)}, {"Accept-Encoding", "identity"}};
    return made;
  }

  HttpRequest request_with_token(const char* method, const std::string& path) const {
    HttpRequest made = request(method, path);
    made.fields.emplace_back("Authorization", "Bearer " + target.token);
    return made;
  }

  const Target target;
  const std::uint16_t server_port;
  std::atomic<bool> stopped{false};
  bool proved = false, answered_with_proof = false;
  std::int64_t ahead_ms = 0;
  ServerBuild build;
  HttpConnection http;
};

Daemon::Daemon(const Target& target) : connection_(std::make_unique<Connection>(target)) {}
Daemon::~Daemon() = default;

void Daemon::stop() {
  connection_->stopped = true;
  connection_->http.stop();
}

Status Daemon::prove() {
  connection_->answered_with_proof = false;
  Connection& c = *connection_;
  const auto parts = split_token(c.target.token);
  if (!parts)
    return Error{.code = Code::Unauthorized,
                 .doing = "the token of target " + c.target.name + " is malformed",
                 .hint = way_to_make(c.target)};
  BAND_TRY(const std::string nonce, random_hex(16));
  c.http.limit_pauses(kSending, kShortAnswer);
  const auto unproved = [&](const std::string& why) {
    return Error{.code = Code::Unauthorized,
                 .doing = "the program at " + c.target.url + " did not prove that it has the token of target " +
                          c.target.name + " (" + why + "); nothing was sent to it",
                 .hint = "the token was revoked, or another program has the port: " + way_to_make(c.target)};
  };
  BAND_TRY(const auto reply,
           c.send(c.request("GET", "/v1/proof?token=" + parts->id + "&nonce=" + nonce), nullptr, nullptr));
  // 429 and 5xx: the server is too busy for a proof. The error alone is harmless even if another program sent it.
  if (reply.status == 503 || reply.status == 429)
    return error_of_status(reply.status, reply.body, reply.retry_after, c.target);
  if (reply.status != 200) return unproved("HTTP status " + std::to_string(reply.status));
  const auto json = parse_json(reply.body, "proof");
  if (!json.ok() || !json->is_object() || !json->contains("proof") || !(*json)["proof"].is_string())
    return unproved("no proof in its answer");
  c.answered_with_proof = true;
  const std::string expected = proof_of(token_hash(c.target.token), nonce, c.server_port);
  if (expected.size() != 64 || !equal_in_constant_time((*json)["proof"].get_ref<const std::string&>(), expected))
    return unproved("a wrong proof");
  c.proved = true;
  if (json->contains("now") && (*json)["now"].is_number_integer())
    c.ahead_ms = ahead_of_own_clock((*json)["now"].get<std::int64_t>());
  c.build = build_from_json(*json);
  return done();
}

bool Daemon::answered_with_proof() const { return connection_->answered_with_proof; }
std::int64_t Daemon::clock_ahead_ms() const { return connection_->ahead_ms; }
const ServerBuild& Daemon::build() const { return connection_->build; }

Result<Json> Daemon::health() {
  Connection& c = *connection_;
  if (!c.proved) return not_proved();
  BAND_TRY(const auto reply, c.send(c.request_with_token("GET", "/v1/health"), nullptr, nullptr));
  if (reply.status != 200) return error_of_status(reply.status, reply.body, reply.retry_after, c.target);
  return parse_json(reply.body, "the server's health");
}

Status Daemon::cancel(const std::string& execution) {
  Connection& c = *connection_;
  if (!c.proved) return not_proved();
  BAND_TRY(const auto reply, c.send(c.request_with_token("DELETE", "/v1/exec/" + execution), nullptr, nullptr));
  return reply.status == 200 ? done() : Status(error_of_status(reply.status, reply.body, reply.retry_after, c.target));
}

Status Daemon::send_input(const std::string& execution, const EffectiveLimits& limits,
                          const std::function<std::optional<std::string>(int answer)>& next) {
  Connection& c = *connection_;
  if (!c.proved) return not_proved();
  // During its run time a script may read its input at any speed.
  const Seconds longest(longest_run(limits) / 1000);
  c.http.limit_pauses(longest, longest);
  HttpRequest request = c.request_with_token("POST", "/v1/exec/" + execution + "/input");
  request.fields.emplace_back("Content-Type", "application/octet-stream");
  request.next = [&] { return next(c.http.socket()); };
  BAND_TRY(const auto reply, c.send(request, nullptr, nullptr));
  // 404, 409: the execution has ended. Its own answer has the result, and may not have arrived yet.
  if (reply.status == 200 || reply.status == 404 || reply.status == 409) return done();
  return error_of_status(reply.status, reply.body, reply.retry_after, c.target);
}

// Only this error needs the server's version, so an ordinary run does not ask for it.
Status Daemon::check_features(const std::vector<Feature>& needs) {
  const auto missing =
      std::find_if(needs.begin(), needs.end(), [&](const Feature& feature) { return !build().has(feature); });
  if (missing == needs.end()) return done();
  const auto answer = health();
  const std::string version = answer.ok() ? text_in(*answer, "version") : "";
  return Error{.code = Code::SandboxUnavailable,
               .doing = connection_->where() + (version.empty() ? "" : ", version " + version + ",") +
                        " is older than this band and cannot " + std::string(missing->what) +
                        "; the request was not sent",
               .hint = way_to_update(connection_->target)};
}

Result<Answer> Daemon::execute(const RequestText& text, const EffectiveLimits& limits, const Listener& listener) {
  Connection& c = *connection_;
  if (!c.proved) return not_proved();
  BAND_CHECK(check_features(text.needs()));
  const std::int64_t most_ms = longest_run(limits);
  c.http.limit_pauses(kSending, Seconds(most_ms / 1000));
  HttpRequest request = c.request_with_token("POST", "/v1/exec");
  request.fields.emplace_back("Content-Type", "application/json");
  request.fields.emplace_back("Accept", "application/x-ndjson");
  request.body = text.text();
  // The server limits the time in the queue; the script's limit counts from `started`.
  Clock::time_point deadline = Clock::time_point::max();
  Listener timed = listener;
  timed.started = [&](const std::string& id) {
    deadline = Clock::now() + std::chrono::milliseconds(most_ms);
    if (listener.started) listener.started(id);
  };
  // The time in which the caller's log callback blocks is not charged to the server.
  timed.log = [&](bool is_stderr, const std::string& data) {
    const auto before = Clock::now();
    if (listener.log) listener.log(is_stderr, data);
    if (deadline != Clock::time_point::max()) deadline += Clock::now() - before;
  };
  const auto doubled = [](std::int64_t bytes) {
    return static_cast<std::size_t>(std::clamp<std::int64_t>(bytes, 0, 1 << 28)) * 2;
  };
  const std::size_t most =
      std::min(kAnswerMost, kAnswerBase + doubled(limits.maxOutputBytes) + doubled(limits.maxDiskBytes));
  EventReader reader(most, timed);
  BAND_TRY(const auto reply, c.send(
                                 request, [&](std::string_view bytes) { return reader.feed(bytes); }, &deadline));
  if (reply.status != 200) return error_of_status(reply.status, reply.body, reply.retry_after, c.target);
  return reader.finish();
}

}  // namespace band::client
