// Records the requests of a caller: a relay between the caller and its server.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>

#include "tests/end_to_end/server_fixture.h"

namespace band::test {

// A port of this machine; each connection is served by its own thread.
class Port {
 public:
  explicit Port(std::function<void(int)> serve) : serve_(std::move(serve)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) == 0);
    REQUIRE(::listen(listener_, 16) == 0);
    REQUIRE(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    number = ntohs(address.sin_port);
    accepting_ = std::thread([this] { accept_all(); });
  }
  ~Port() {
    ended_ = true;
    accepting_.join();
    for (std::thread& thread : serving_) thread.join();
    ::close(listener_);
  }
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  std::uint16_t number = 0;

 private:
  void accept_all() {
    while (!ended_) {
      pollfd one{listener_, POLLIN, 0};
      if (::poll(&one, 1, 20) <= 0) continue;
      const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) continue;
      serving_.emplace_back([this, connection] {
        serve_(connection);
        ::close(connection);
      });
    }
  }

  std::function<void(int)> serve_;
  int listener_ = -1;
  std::atomic<bool> ended_{false};
  std::thread accepting_;
  std::vector<std::thread> serving_;
};

// A relay between a caller and the server that keeps every request verbatim.
class Tap {
 public:
  explicit Tap(const Server& server) : server_(server), port_([this](int connection) { relay(connection); }) {}

  void stand_before(const Caller& caller) const {
    caller.target("http://127.0.0.1:" + std::to_string(port_.number), server_.token("laptop"), server_.port());
  }
  // Returns the bodies of the requests for executions.
  std::vector<std::string> requests() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> found;
    for (const std::string& sent : sent_)
      for (std::size_t at = sent.find("POST /v1/exec "); at != std::string::npos;) {
        const std::size_t next = sent.find("POST /v1/exec ", at + 1);
        found.push_back(sent.substr(at, next == std::string::npos ? next : next - at));
        at = next;
      }
    return found;
  }

 private:
  void relay(int from) {
    const int to = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server_.port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(to, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) pass(from, to);
    ::close(to);
  }
  void pass(int from, int to) {
    std::size_t mine = 0;
    {
      const std::lock_guard lock(mutex_);
      mine = sent_.size();
      sent_.emplace_back();
    }
    for (;;) {
      pollfd both[] = {{from, POLLIN, 0}, {to, POLLIN, 0}};
      if (::poll(both, 2, 20'000) <= 0) break;
      const bool up = (both[0].revents & (POLLIN | POLLHUP)) != 0;
      char bytes[65536];
      const ssize_t n = ::recv(up ? from : to, bytes, sizeof bytes, 0);
      if (n <= 0) break;
      if (up) {  // before the request is forwarded: when the caller has its answer, the request is already here
        const std::lock_guard lock(mutex_);
        sent_[mine].append(bytes, static_cast<std::size_t>(n));
      }
      for (ssize_t done = 0; done < n;) {
        const ssize_t now = ::send(up ? to : from, bytes + done, static_cast<std::size_t>(n - done), MSG_NOSIGNAL);
        if (now <= 0) break;
        done += now;
      }
    }
  }

  const Server& server_;
  std::mutex mutex_;
  std::vector<std::string> sent_;
  Port port_;
};

// Returns the value of this member as compact JSON. The value must be an array or an object.
inline std::string json_part(const std::string& json, const std::string& member) {
  const std::size_t key = json.find("\"" + member + "\":");
  if (key == std::string::npos) return "";
  const std::size_t from = key + member.size() + 3;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = from; i < json.size(); ++i) {
    if (json[i] == '\\') {
      ++i;
    } else if (json[i] == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      if (json[i] == '[' || json[i] == '{') ++depth;
      if ((json[i] == ']' || json[i] == '}') && --depth == 0) return json.substr(from, i + 1 - from);
    }
  }
  return "";
}

// Returns one text like "cli \"git log\"" for each allow and insist rule of a request.
inline std::set<std::string> opened_by(const std::string& request) {
  std::set<std::string> opened;
  const std::string rules = json_part(request, "rules");
  for (const std::string domain : {"cli", "net", "read", "write"}) {
    const std::string part = json_part(json_part(rules, domain), "opened"), key = "\"pattern\":";
    for (std::size_t at = part.find(key); at != std::string::npos; at = part.find(key, at + 1)) {
      std::size_t end = at + key.size() + 1;
      while (part[end] != '"') end += part[end] == '\\' ? 2 : 1;
      opened.insert(domain + " " + part.substr(at + key.size(), end + 1 - at - key.size()));
    }
  }
  return opened;
}

}  // namespace band::test
