// A real band-http, with the test as its engine, and clients that write raw bytes.
#pragma once

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "schemas/core/json.h"
#include "schemas/wire/wire.h"
#include "server/base/channel.h"
#include "server/base/child.h"
#include "server/base/io.h"
#include "tests/end_to_end/at_rest.h"
#include "tests/within.h"

namespace band::test {

inline const std::string kToken = "band_0123abcd_" + std::string(64, '7');
inline const std::string kOtherToken = "band_89abcdef_" + std::string(64, '3');
inline const std::string kWrongToken = "band_0123abcd_" + std::string(64, '8');

// A long event of an answer.
inline const std::string kLine = "{\"event\":\"stdout\",\"data\":\"" + std::string(60'000, 'x') + "\"}\n";

// Returns false when the peer has closed the connection.
inline bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

inline bool readable(int fd, int ms) {
  pollfd one{fd, POLLIN, 0};
  return ::poll(&one, 1, ms) > 0;
}

struct Response {
  int status = 0;  // 0: no response
  std::string head, body;
  bool ended = false;  // the server closed the connection

  std::string header(const std::string& name) const {  // "Name"
    const auto at = head.find("\r\n" + name + ": ");
    if (at == std::string::npos) return "";
    const auto from = at + name.size() + 4;
    return head.substr(from, head.find("\r\n", from) - from);
  }
  std::string error_code() const {
    const auto json = parse_json(body, "answer");
    return json.ok() && json->contains("error") ? (*json)["error"]["code"].get<std::string>() : "no error: " + body;
  }
};

// Undoes Transfer-Encoding: chunked; `whole` is true when the last chunk arrived.
inline std::string unchunk(std::string_view text, bool& whole) {
  std::string body;
  whole = false;
  for (;;) {
    const auto end = text.find("\r\n");
    if (end == std::string_view::npos) return body;
    const std::size_t size = std::stoul(std::string(text.substr(0, end)), nullptr, 16);
    text.remove_prefix(end + 2);
    if (size == 0) {
      whole = text == "\r\n";
      return body;
    }
    if (text.size() < size + 2) return body;
    body.append(text.substr(0, size));
    text.remove_prefix(size + 2);
  }
}

class Client {
 public:
  explicit Client(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(fd_.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
  }
  // Returns false when the server has closed the connection.
  bool send(std::string_view bytes) { return send_all(fd_.get(), bytes); }
  // Reads until `end` returns true for the received bytes, the server closes the connection, or `ms` milliseconds have
  // passed. Returns all received bytes that were not taken by response().
  template <class End>
  std::string read_until(End end, int ms = 5000) {
    const std::int64_t deadline = now_ms() + ms;
    char bytes[65536];
    while (!end(got_) && now_ms() < deadline && readable(fd_.get(), static_cast<int>(deadline - now_ms()))) {
      const ssize_t n = ::recv(fd_.get(), bytes, sizeof bytes, 0);
      if (n <= 0) {
        ended_ = true;
        break;
      }
      got_.append(bytes, static_cast<std::size_t>(n));
    }
    return got_;
  }
  // Returns the next response on this connection (not for HEAD). A chunked body is decoded; whole() then returns true
  // if the body was complete.
  Response response(int ms = 5000) {
    read_until([](const std::string& text) { return text.find("\r\n\r\n") != std::string::npos; }, ms);
    Response result;
    const auto end = got_.find("\r\n\r\n");
    if (end == std::string::npos) {
      result.ended = ended_;
      return result;
    }
    result.head = got_.substr(0, end + 2);
    result.status = std::stoi(result.head.substr(9, 3));
    got_.erase(0, end + 4);
    if (result.header("Transfer-Encoding") == "chunked") {
      read_until([](const std::string& text) { return text.ends_with("0\r\n\r\n"); }, ms);
      result.body = unchunk(got_, whole_);
      got_.clear();
    } else if (const std::string length = result.header("Content-Length"); !length.empty()) {
      const std::size_t size = std::stoul(length);
      read_until([&](const std::string& text) { return text.size() >= size; }, ms);
      result.body = got_.substr(0, size);
      got_.erase(0, size);
    }
    result.ended = ended_;
    return result;
  }
  // Returns true when the server closes within `ms` and sends no further byte.
  bool closed_within(int ms) {
    const std::size_t before = got_.size();
    read_until([&](const std::string& text) { return text.size() > before; }, ms);
    return ended_ && got_.size() == before;
  }
  bool whole() const { return whole_; }
  std::string rest() const { return got_; }
  void shut_down_sending() { ::shutdown(fd_.get(), SHUT_WR); }
  void close() { fd_.reset(); }
  int fd() const { return fd_.get(); }

 private:
  base::Fd fd_;
  std::string got_;
  bool ended_ = false, whole_ = false;
};

// A message of http to the engine.
struct Question {
  Json json;
  std::vector<base::Fd> fds;
  std::string op() const { return json.value("op", ""); }
  int reply() const { return fds.back().get(); }
  void answer(const std::string& lines) { REQUIRE(base::write_all(reply(), lines).ok()); }
  std::string body() const {
    std::string bytes(1 << 20, '\0');
    const ssize_t n = ::pread(fds.front().get(), bytes.data(), bytes.size(), 0);
    bytes.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
    return bytes;
  }
  // Returns true when http closes its end within `ms` milliseconds, because the client has disconnected.
  bool closed_within(int ms) const {
    char byte;
    return readable(reply(), ms) && ::recv(reply(), &byte, 1, MSG_DONTWAIT) == 0;
  }
};

class Http {
 public:
  explicit Http(int connections = 64, const std::string& user = "nobody") {
    auto ends = base::channel();
    REQUIRE(ends.ok());
    control_ = std::move(ends->first);
    log_.reset(::memfd_create("log", MFD_CLOEXEC));
    REQUIRE(log_);
    child_ = spawn_with_channel(user, ends->second.get());
    configure(connections, {kToken, kOtherToken});
  }

  // Waits until band-http is listening.
  void start() {
    auto listening = next(10'000);
    REQUIRE_MESSAGE(listening, "band-http does not start: " << log());
    REQUIRE(listening->op() == "listening");
    port = listening->json["port"].get<std::uint16_t>();
  }
  void configure(int connections, const std::vector<std::string>& tokens) {
    REQUIRE(base::send(control_.get(), dump_json(config(connections, tokens))).ok());
  }
  // Sends a new configuration and waits until band-http has applied it. No message about a client may be in transit.
  void reconfigure(Json config) {
    config["number"] = 1;
    REQUIRE(base::send(control_.get(), dump_json(config)).ok());
    const auto answer = next();
    REQUIRE(answer);
    REQUIRE(answer->op() == "configured");
  }
  static Json config(int connections, const std::vector<std::string>& tokens = {}) {
    Json config{{"op", "config"},
                {"address", "127.0.0.1"},
                {"port", 0},
                {"connections", connections},
                {"source", std::string(64, 'd')},
                {"features", {"one", "two"}}};
    config["tokens"] = Json::array();
    for (const std::string& token : tokens)
      config["tokens"].push_back({{"name", token == kToken ? "laptop" : "other"},
                                  {"id", split_token(token)->id},
                                  {"hash", token_hash(token)}});
    return config;
  }
  std::optional<Question> next(int ms = 5000) {
    if (!readable(control_.get(), ms)) return std::nullopt;
    auto message = base::receive(control_.get());
    if (!message.ok() || message->text.empty()) return std::nullopt;
    auto json = parse_json(message->text, "question");
    REQUIRE(json.ok());
    return Question{*json, std::move(message->fds)};
  }
  bool asked_within(int ms) { return readable(control_.get(), ms); }
  std::string log() const {
    std::string text(1 << 20, '\0');
    const ssize_t n = ::pread(log_.get(), text.data(), text.size(), 0);
    text.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
    return text;
  }
  void engine_ends() { control_.reset(); }
  bool at_rest() const { return band::test::at_rest(child_.pid(), port); }
  base::Child& child() { return child_; }
  int control() const { return control_.get(); }

  std::string host() const { return "Host: 127.0.0.1:" + std::to_string(port) + "\r\n"; }
  std::string bearer(const std::string& token = kToken) const { return "Authorization: Bearer " + token + "\r\n"; }
  // Returns a head for POST /v1/exec that has these lines in addition.
  std::string post(const std::string& lines, const std::string& token = kToken) const {
    return "POST /v1/exec HTTP/1.1\r\n" + host() + bearer(token) + "Content-Type: application/json\r\n" + lines +
           "\r\n";
  }
  std::string get(const std::string& path, const std::string& lines = "") const {
    return "GET " + path + " HTTP/1.1\r\n" + host() + bearer() + lines + "\r\n";
  }
  // Sends one request on a new connection.
  Response ask(const std::string& bytes) {
    Client client(port);
    client.send(bytes);
    return client.response();
  }

  std::uint16_t port = 0;

 private:
  base::Child spawn_with_channel(const std::string& user, int channel) const {
    const pid_t pid = ::fork();
    if (pid == 0) {
      for (int fd = 0; fd < 3; ++fd) ::dup2(log_.get(), fd);
      ::dup2(channel, 100);  // out of the way of log_, which may be 3
      ::dup2(100, 3);
      ::execl(BAND_BIN_DIR "/band-http", "band-http", "--user", user.c_str(), nullptr);
      ::_exit(127);
    }
    REQUIRE(pid > 0);
    return base::Child(pid, base::Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))));
  }

  base::Fd control_, log_;
  base::Child child_;
};

struct RunningHttp : Http {
  explicit RunningHttp(int connections = 64) : Http(connections) { start(); }
};

}  // namespace band::test
