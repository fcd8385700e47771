// The only file of the client that includes httplib.h: version 0.11.4 of Debian 12, or a current version.
#include "client/transport/daemon.h"

#include <fcntl.h>
#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "schemas/core/json.h"

namespace band::client {
namespace {

constexpr int kConnectSeconds = 5, kShortAnswerSeconds = 15;
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

}  // namespace

struct Daemon::Connection {
  explicit Connection(const Target& t)
      : target(t), server_port(t.server_port != 0 ? t.server_port : t.port), client(t.host, t.port != 0 ? t.port : 80) {
    if (t.port == 0) client.set_address_family(AF_UNIX);
    client.set_keep_alive(true);
    client.set_tcp_nodelay(true);
    client.set_decompress(false);  // no decompression: it was not requested, and prevents decompression bombs
    client.set_follow_location(false);
    client.set_connection_timeout(kConnectSeconds, 0);
    client.set_write_timeout(std::time_t{kShortAnswerSeconds} * 4, 0);
    client.set_socket_options([this](auto socket) { opened(static_cast<int>(socket)); });
  }

  // httplib reconnects automatically when a kept connection was closed. The new peer has not proved its identity, so
  // the socket is replaced by a descriptor that cannot connect.
  void opened(int socket) {
    newest = socket;
    if (!proved && !stopped) return;
    if (const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC); null >= 0) {
      ::dup2(null, socket);
      ::close(null);
    } else {
      ::shutdown(socket, SHUT_RDWR);
      stopped = true;
    }
    lost = true;
  }

  struct Reply {
    int status = 0;
    std::string body, retry_after;
  };

  using Sink = std::function<Status(std::string_view)>;

  // `sink` receives the body of a 200; other bodies are returned, up to a limit. The sink may change `deadline`.
  Result<Reply> send(httplib::Request request, const Sink& sink, const Clock::time_point* deadline) {
    Reply reply;
    std::optional<Error> failure;
    request.set_header("Accept-Encoding", "identity");
    request.response_handler = [&](const httplib::Response& response) {
      reply.status = response.status;
      reply.retry_after = response.get_header_value("Retry-After");
      return true;
    };
    request.content_receiver = [&](const char* data, std::size_t size, std::uint64_t, std::uint64_t) {
      if (deadline != nullptr && Clock::now() > *deadline) {
        failure = Error{.code = Code::ServerUnreachable,
                        .doing = "the server did not end the script within limit.maxRuntimeMs",
                        .hint = "check the server with `band status`"};
        return false;
      }
      Status taken = done();
      if (reply.status == 200 && sink)
        taken = sink({data, size});
      else if (reply.body.size() + size > kMaxShortAnswer)
        taken = Error{.code = Code::Internal,
                      .doing = "the server's answer exceeds 1 MiB",
                      .hint = "check with `band status` whether band-server has this port"};
      else
        reply.body.append(data, size);
      if (!taken.ok()) failure = std::move(taken).error();
      return !failure.has_value();
    };
    if (stopped) return Error{.code = Code::Cancelled, .doing = "interrupted"};
    const auto begun = Clock::now();
    const httplib::Result result = client.send(request);
    if (failure) return std::move(*failure);
    if (stopped) return Error{.code = Code::Cancelled, .doing = "interrupted"};
    if (!result) return unreachable(result.error(), Clock::now() - begun);
    return reply;
  }

  Error unreachable(httplib::Error error, Clock::duration waited) const {
    const std::string where = "the server of target " + target.name + " at " + target.url;
    const std::string start = target.ssh.empty() ? "start it with `" + way_to_make(target) + "`"
                                                 : "start it on its machine with `sudo band-server start`";
    if (lost)
      return Error{.code = Code::ServerUnreachable,
                   .doing = where + " closed the connection after it had proved its identity",
                   .hint = "run again; nothing was sent"};
    if (error == httplib::Error::Write)
      return Error{.code = Code::ServerUnreachable,
                   .doing = where + " closed the connection while the request was sent",
                   .hint = "the server may be full or stopping: check it with `band status`, then run again"};
    if (error == httplib::Error::Read && waited > std::chrono::seconds(kShortAnswerSeconds - 1))
      return Error{.code = Code::ServerUnreachable,
                   .doing = where + " does not answer",
                   .hint = "see the server's log, or restart the server: " + start};
    if (error == httplib::Error::Read)
      return Error{.code = Code::ServerUnreachable,
                   .doing = where + " closed the connection before it answered",
                   .hint = "check with `band status` whether the server runs; the server's log has the reason"};
    if (error != httplib::Error::Connection)
      return Error{.code = Code::ServerUnreachable,
                   .doing = where + " does not answer (" + httplib::to_string(error) + ")",
                   .hint = start};
    return Error{.code = Code::ServerUnreachable, .doing = "cannot reach " + where, .hint = start};
  }

  httplib::Request request(const char* method, const std::string& path) const {
    httplib::Request made;
    made.method = method;
    made.path = path;
    // The server accepts only its own port in this header, even if the client connects through a tunnel or a forwarded
    // port.
    made.set_header("Host", "127.0.0.1:" + std::to_string(server_port));
    return made;
  }

  const Target target;
  const std::uint16_t server_port;
  int newest = -1;  // httplib's socket, while it is open
  std::atomic<bool> stopped{false};
  bool proved = false, answered_with_proof = false, lost = false;
  std::int64_t ahead_ms = 0;
  httplib::Client client;  // last: its callbacks use the others
};

Daemon::Daemon(const Target& target) : connection_(std::make_unique<Connection>(target)) {}
Daemon::~Daemon() = default;

void Daemon::stop() {
  connection_->stopped = true;
  connection_->client.stop();
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
  c.client.set_read_timeout(kShortAnswerSeconds, 0);
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
  return done();
}

bool Daemon::answered_with_proof() const { return connection_->answered_with_proof; }
std::int64_t Daemon::clock_ahead_ms() const { return connection_->ahead_ms; }

Result<Json> Daemon::health() {
  Connection& c = *connection_;
  if (!c.proved) return Error{.code = Code::Internal, .doing = "a request must not be sent before the server's proof"};
  auto request = c.request("GET", "/v1/health");
  request.set_header("Authorization", "Bearer " + c.target.token);
  BAND_TRY(const auto reply, c.send(std::move(request), nullptr, nullptr));
  if (reply.status != 200) return error_of_status(reply.status, reply.body, reply.retry_after, c.target);
  return parse_json(reply.body, "the server's health");
}

Status Daemon::send_input(const std::string& execution, const EffectiveLimits& limits,
                          const std::function<std::optional<std::string>(int answer)>& next) {
  Connection& c = *connection_;
  if (!c.proved) return Error{.code = Code::Internal, .doing = "a request must not be sent before the server's proof"};
  // During its run time a script may read its input at any speed.
  c.client.set_read_timeout(longest_run(limits) / 1000, 0);
  c.client.set_write_timeout(longest_run(limits) / 1000, 0);
  auto request = c.request("POST", "/v1/exec/" + execution + "/input");
  request.set_header("Authorization", "Bearer " + c.target.token);
  request.set_header("Content-Type", "application/octet-stream");
  request.set_header("Transfer-Encoding", "chunked");
  request.is_chunked_content_provider_ = true;
  request.content_provider_ = [&](std::size_t, std::size_t, httplib::DataSink& sink) {
    const auto piece = next(c.newest);
    if (!piece) return false;
    if (piece->empty())
      sink.done();
    else if (!sink.write(piece->data(), piece->size()))
      return false;
    return true;
  };
  BAND_TRY(const auto reply, c.send(std::move(request), nullptr, nullptr));
  // 404, 409: the execution has ended. Its own answer has the result, and may not have arrived yet.
  if (reply.status == 200 || reply.status == 404 || reply.status == 409) return done();
  return error_of_status(reply.status, reply.body, reply.retry_after, c.target);
}

Result<Answer> Daemon::execute(std::string_view body, const EffectiveLimits& limits, const Listener& listener) {
  Connection& c = *connection_;
  if (!c.proved) return Error{.code = Code::Internal, .doing = "a request must not be sent before the server's proof"};
  const std::int64_t most_ms = longest_run(limits);
  c.client.set_read_timeout(static_cast<std::time_t>(most_ms / 1000), 0);
  auto request = c.request("POST", "/v1/exec");
  request.set_header("Authorization", "Bearer " + c.target.token);
  request.set_header("Content-Type", "application/json");
  request.set_header("Accept", "application/x-ndjson");
  request.body = body;
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
  BAND_TRY(const auto reply,
           c.send(
               std::move(request), [&](std::string_view bytes) { return reader.feed(bytes); }, &deadline));
  if (reply.status != 200) return error_of_status(reply.status, reply.body, reply.retry_after, c.target);
  return reader.finish();
}

}  // namespace band::client
