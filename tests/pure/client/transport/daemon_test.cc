// The daemon against dishonest servers, on real sockets of this machine.
#include "client/transport/daemon.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <functional>
#include <future>
#include <mutex>
#include <thread>

#include "schemas/core/fd.h"
#include "schemas/core/json.h"

using namespace band;
using namespace band::client;

namespace {

const std::string kToken = "band_01234567_" + std::string(64, 'a');

Target target_at(std::uint16_t port) {
  Target target;
  target.name = "local";
  target.token = kToken;
  REQUIRE(parse_url("http://127.0.0.1:" + std::to_string(port), target).ok());
  return target;
}

// Answers each request of each connection with `reply`; "" closes the connection. Records all received bytes.
class FakeServer {
 public:
  using Reply = std::function<std::string(const std::string& head, std::uint16_t port)>;

  explicit FakeServer(Reply reply) : reply_(std::move(reply)), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(listener_.get(), 8) == 0);
    socklen_t size = sizeof address;
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~FakeServer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }

  Target target() const { return target_at(port_); }
  std::string seen() {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  int connections() const { return connections_; }

 private:
  void serve() {
    for (;;) {
      const Fd connection(::accept(listener_.get(), nullptr, nullptr));
      if (!connection) return;
      ++connections_;
      while (one_request(connection.get())) {
      }
    }
  }

  bool one_request(int fd) {
    std::string text;
    std::size_t head_end = std::string::npos, length = 0;
    char buffer[65536];
    while (head_end == std::string::npos || text.size() < head_end + 4 + length) {
      const ssize_t got = ::recv(fd, buffer, sizeof buffer, 0);
      if (got <= 0) return false;
      text.append(buffer, static_cast<std::size_t>(got));
      head_end = text.find("\r\n\r\n");
      if (const auto at = text.find("Content-Length: "); at < head_end) length = std::stoul(text.substr(at + 16));
    }
    {
      const std::lock_guard lock(mutex_);
      seen_ += text;
    }
    const std::string answer = reply_(text.substr(0, head_end), port_);
    return !answer.empty() &&
           ::send(fd, answer.data(), answer.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(answer.size());
  }

  Reply reply_;
  Fd listener_;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_{0};
  std::mutex mutex_;
  std::string seen_;
  std::thread thread_;
};

std::string http(int status, const std::string& body, const std::string& headers = "") {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Type: application/json\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string nonce_of(const std::string& head) { return head.substr(head.find("nonce=") + 6, 32); }

std::string honest_proof(const std::string& head, std::uint16_t port) {
  return http(200, dump_json(Json{{"proof", proof_of(token_hash(kToken), nonce_of(head), port)}}));
}

std::string proof_with(const std::string& head, std::uint16_t port, const Json& features) {
  return http(200, dump_json(Json{{"proof", proof_of(token_hash(kToken), nonce_of(head), port)},
                                  {"source", std::string(64, 'c')},
                                  {"features", features}}));
}

RequestText text_of(const std::string& body, std::vector<Feature> needs = {}) {
  return RequestText(RequestBody{body, std::move(needs)});
}

std::string result_line() {
  Answer answer;
  answer.id = "0123456789abcdef";
  answer.data = Json{{"ok", true}};
  answer.exit_status = 0;
  return dump_json(Json{{"event", "result"}, {"answer", answer_to_json(answer)}}) + "\n";
}

}  // namespace

TEST_CASE("an honest server proves its identity and answers on the same connection") {
  FakeServer server([](const std::string& head, std::uint16_t port) {
    if (head.starts_with("GET /v1/proof")) return honest_proof(head, port);
    return http(200,
                "{\"event\":\"started\",\"id\":\"0123456789abcdef\"}\n{\"event\":\"stderr\",\"data\":\"log\"}\n{"
                "\"event\":\"later\"}\n" +
                    result_line());
  });
  Daemon daemon(server.target());
  REQUIRE(daemon.prove().ok());
  CHECK(server.seen().find(kToken) == std::string::npos);  // no secret was sent before the proof
  CHECK(server.seen().find("token=01234567&") != std::string::npos);
  std::string received;
  Listener listener;
  listener.started = [&](const std::string& id) { received += id + " "; };
  listener.log = [&](bool is_stderr, const std::string& data) { received += (is_stderr ? "err:" : "out:") + data; };
  const auto answer = daemon.execute(text_of("{}"), {}, listener);
  REQUIRE_MESSAGE(answer.ok(), (answer.ok() ? "" : answer.error().message()));
  CHECK((*answer->data)["ok"] == true);
  CHECK(received == "0123456789abcdef err:log");
  CHECK(server.seen().find("Authorization: Bearer " + kToken) != std::string::npos);
  CHECK(server.connections() == 1);
}

TEST_CASE("a server without the token receives neither the token nor the request") {
  struct Row {
    const char* what;
    FakeServer::Reply reply;
  };
  const Row rows[] = {
      {"a wrong proof",
       [](const std::string&, std::uint16_t) {
         return http(200, dump_json(Json{{"proof", std::string(64, '0')}}));
       }},
      {"an empty proof", [](const std::string&, std::uint16_t) { return http(200, R"({"proof":""})"); }},
      {"a proof for another port",
       [](const std::string& head, std::uint16_t port) {
         return honest_proof(head, static_cast<std::uint16_t>(port + 1));
       }},
      {"a proof for another nonce",
       [](const std::string&, std::uint16_t port) {
         return http(200, dump_json(Json{{"proof", proof_of(token_hash(kToken), std::string(32, '7'), port)}}));
       }},
      {"no JSON", [](const std::string&, std::uint16_t) { return http(200, "hello"); }},
      {"404", [](const std::string&, std::uint16_t) { return http(404, "{}"); }},
      {"a redirection",
       [](const std::string&, std::uint16_t) { return http(302, "", "Location: http://127.0.0.1:1/\r\n"); }},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    FakeServer server(row.reply);
    Daemon daemon(server.target());
    const Status proved = daemon.prove();
    REQUIRE_FALSE(proved.ok());
    CHECK(proved.error().code == Code::Unauthorized);
    CHECK_FALSE(daemon.execute(text_of("SECRET-BODY"), {}, {}).ok());
    CHECK(server.seen().find("SECRET-BODY") == std::string::npos);
    CHECK(server.seen().find(kToken) == std::string::npos);
  }
}

TEST_CASE("when the proved connection is lost, nothing is sent to the next listener") {
  FakeServer server([](const std::string& head, std::uint16_t port) {
    std::string reply = honest_proof(head, port);
    return reply.replace(reply.find("Content-Type"), 0, "Connection: close\r\n");
  });
  Daemon daemon(server.target());
  REQUIRE(daemon.prove().ok());
  const auto answer = daemon.execute(text_of("SECRET-BODY"), {}, {});
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().code == Code::ServerUnreachable);
  CHECK(server.seen().find("SECRET-BODY") == std::string::npos);
  CHECK(server.seen().find(kToken) == std::string::npos);
}

TEST_CASE("a request is sent only to a server that lists every feature which the request needs") {
  constexpr Feature kDot{"write-dot", "let a rule of write match names that begin with a dot", {}};
  constexpr Feature kTop{"top", "read `top`", {}};
  struct Row {
    Json features;
    const char* cannot;  // nullptr: the request is sent
  };
  const Row rows[] = {{Json{"top", "write-dot"}, nullptr},
                      {Json{"write-dot", "top", "later"}, nullptr},
                      {Json{"top"}, "let a rule of write match names that begin with a dot"},
                      {Json{"write-dot"}, "read `top`"},
                      {Json::array(), "read `top`"},
                      {Json{{"top", true}, {"write-dot", true}}, "read `top`"},
                      {Json("top write-dot"), "read `top`"},
                      {Json(nullptr), "read `top`"}};
  for (const Row& row : rows) {
    CAPTURE(dump_json(row.features));
    FakeServer server([&](const std::string& head, std::uint16_t port) {
      if (head.starts_with("GET /v1/proof")) return proof_with(head, port, row.features);
      if (head.starts_with("GET /v1/health")) return http(200, R"({"version": "0.0.7)" + std::string(90, 'x') + "\"}");
      return http(200, result_line());
    });
    Daemon daemon(server.target());
    REQUIRE(daemon.prove().ok());
    CHECK(daemon.build().source == std::string(64, 'c'));
    const auto answer = daemon.execute(text_of("SECRET-BODY", {kTop, kDot}), {}, {});
    CHECK(answer.ok() == (row.cannot == nullptr));
    CHECK((server.seen().find("SECRET-BODY") == std::string::npos) == !answer.ok());
    CHECK((server.seen().find("POST") == std::string::npos) == !answer.ok());
    if (answer.ok()) continue;
    CHECK(answer.error().code == Code::SandboxUnavailable);
    CHECK(answer.error().message() ==
          "the server of target local at http://127.0.0.1:" + std::to_string(server.target().port) + ", version 0.0.7" +
              std::string(59, 'x') + ", is older than this band and cannot " + row.cannot +
              "; the request was not sent");
    CHECK(answer.error().hint.find("`sudo band setup --target local` updates the server") == 0);
    CHECK(server.connections() == 1);
  }
}

TEST_CASE("an older server sends neither digest nor features, and gets a request that needs none") {
  FakeServer server([](const std::string& head, std::uint16_t port) {
    return head.starts_with("GET /v1/proof") ? honest_proof(head, port) : http(200, result_line());
  });
  Daemon daemon(server.target());
  REQUIRE(daemon.prove().ok());
  CHECK(daemon.build().source == "");
  CHECK(daemon.build().features.empty());
  CHECK(daemon.execute(text_of("{}"), {}, {}).ok());
}

TEST_CASE("without a listener the error says how to start the server") {
  Target target = target_at(1);
  const Status proved = Daemon(target).prove();
  REQUIRE_FALSE(proved.ok());
  CHECK(proved.error().code == Code::ServerUnreachable);
  CHECK(proved.error().hint == "start it with `sudo band setup --target local`");
}

TEST_CASE("a connection that ends before the result is an error") {
  FakeServer server([](const std::string& head, std::uint16_t port) {
    return head.starts_with("GET /v1/proof") ? honest_proof(head, port)
                                             : http(200, "{\"event\":\"started\",\"id\":\"0123456789abcdef\"}\n");
  });
  Daemon daemon(server.target());
  REQUIRE(daemon.prove().ok());
  CHECK(daemon.execute(text_of("{}"), {}, {}).error().code == Code::ServerUnreachable);
}

TEST_CASE("stop() from another thread ends a wait") {
  std::mutex hold;
  hold.lock();
  std::promise<void> asked;
  FakeServer server([&](const std::string& head, std::uint16_t port) {
    if (head.starts_with("GET /v1/proof")) return honest_proof(head, port);
    asked.set_value();
    const std::lock_guard wait(hold);
    return std::string();
  });
  Daemon daemon(server.target());
  REQUIRE(daemon.prove().ok());
  std::thread stopper([&] {
    asked.get_future().wait();  // the whole request was received, and stop() interrupts the wait for its answer
    daemon.stop();
  });
  const auto answer = daemon.execute(text_of("{}"), {}, {});
  stopper.join();
  hold.unlock();
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().code == Code::Cancelled);
}

TEST_CASE("through a forwarded port, Host and proof contain the port on which the server listens") {
  FakeServer server([](const std::string& head, std::uint16_t) {
    return (head + "\r\n").find("Host: 127.0.0.1:7433\r\n") != std::string::npos ? honest_proof(head, 7433)
                                                                                 : http(421, "{}");
  });
  Target target = server.target();
  CHECK_FALSE(Daemon(target).prove().ok());  // the control: with the forwarded port the proof fails
  target.server_port = 7433;
  CHECK(Daemon(target).prove().ok());
}

TEST_CASE("events are parsed from pieces of any size, and a hostile stream is rejected") {
  const std::string whole = "\n{\"event\":\"started\",\"id\":\"0123456789abcdef\"}\n" + result_line();
  for (std::size_t piece = 1; piece < whole.size(); piece += 7) {
    EventReader reader(1 << 20, {});
    for (std::size_t at = 0; at < whole.size(); at += piece) REQUIRE(reader.feed(whole.substr(at, piece)).ok());
    CHECK(reader.finish().ok());
  }
  const auto refused = [](const std::string& bytes) {
    const Listener listener;
    EventReader reader(1000, listener);
    return !reader.feed(bytes).ok() || !reader.finish().ok();
  };
  CHECK(refused(""));
  CHECK(refused("nonsense\n"));
  CHECK(refused("[]\n"));
  CHECK(refused("{\"event\":\"result\"}\n"));
  CHECK(refused("{\"event\":\"result\",\"answer\":{}}\n"));
  CHECK(refused(result_line() + "{\"event\":\"stderr\",\"data\":\"more\"}\n"));
  CHECK(refused("{\"event\":\"started\",\"id\":\"ffffffffffffffff\"}\n" + result_line()));
  CHECK_FALSE(refused(result_line()));
  const Listener listener;
  EventReader reader(1000, listener);
  CHECK(reader.feed(std::string(1000, 'x')).ok());
  CHECK(reader.feed("x").error().code == Code::LimitExceeded);
}

TEST_CASE("HTTP statuses become errors with a code and a hint") {
  const Target target = target_at(7433);
  const std::string busy =
      dump_json(error_to_json(Error{.code = Code::ServerBusy, .doing = "the queue is full", .hint = "wait"}));
  const Error from_body = error_of_status(503, busy, "7", target);
  CHECK(from_body.code == Code::ServerBusy);
  CHECK(from_body.message() == "the queue is full");
  CHECK(from_body.hint == "wait; try again in 7 s");
  CHECK(retry_after_ms(from_body) == 7000);
  CHECK_FALSE(retry_after_ms(error_of_status(503, "", "soon", target)));
  CHECK(retry_after_ms(Error{.details = R"({"retryAfterMs": 99999999999})"}) == 3600 * 1000);
  for (const char* details : {"", "x", "[]", R"({"retryAfterMs": -1})", R"({"retryAfterMs": "1"})"})
    CHECK_FALSE(retry_after_ms(Error{.details = details}));
  CHECK(error_of_status(503, "", "soon; rm -rf", target).hint.empty());
  CHECK(error_of_status(401, "", "", target).code == Code::Unauthorized);
  CHECK(error_of_status(401, "", "", target).hint.find("band setup") != std::string::npos);
  CHECK(error_of_status(413, "", "", target).code == Code::LimitExceeded);
  CHECK(error_of_status(400, "<html>", "", target).code == Code::BadRequest);
  CHECK(error_of_status(500, "{}", "", target).code == Code::Internal);
}
