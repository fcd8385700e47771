// Requests that band's client never sends: raw bytes to the shared server's port, and the answer.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/end_to_end/server_fixture.h"

namespace band::test {

class Socket {
 public:
  Socket() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(shared_server().port());
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
  }
  ~Socket() { ::close(fd_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  // Returns true when the peer has closed the connection, or its sending direction.
  bool closed() const {
    pollfd one{fd_, POLLRDHUP, 0};
    return ::poll(&one, 1, 0) > 0;
  }
  void end_sending() const { ::shutdown(fd_, SHUT_WR); }
  // Reads until the server closes the connection, `until` was received, or 10 s have passed. Returns all received
  // bytes.
  std::string receive(const std::string& until = "") const {
    std::string text;
    char bytes[65536];
    pollfd one{fd_, POLLIN, 0};
    while ((until.empty() || !contains(text, until)) && ::poll(&one, 1, scaled(10'000)) > 0) {
      const ssize_t n = ::recv(fd_, bytes, sizeof bytes, 0);
      if (n <= 0) break;
      text.append(bytes, static_cast<std::size_t>(n));
    }
    return text;
  }

 private:
  int fd_;
};

// Returns the head of a request with these additional lines.
inline std::string post(const std::string& path, const std::string& token, const std::string& lines) {
  const unsigned there = shared_server().port_there();
  return "POST " + path +
         " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(there != 0 ? there : shared_server().port()) +
         "\r\nAuthorization: Bearer " + token + "\r\n" + lines + "\r\n\r\n";
}

inline std::string head(std::size_t length, const std::string& token) {
  return post("/v1/exec", token,
              "Content-Type: application/json\r\nConnection: close\r\nContent-Length: " + std::to_string(length));
}
inline std::string head(std::size_t length) { return head(length, shared_server().token("laptop")); }

inline std::string ask(const std::string& body) {
  Socket socket;
  socket.send(head(body.size()) + body);
  return socket.receive();
}

inline int status_of(const std::string& answer) { return answer.size() < 12 ? 0 : std::stoi(answer.substr(9, 3)); }

// streamed() returns a request whose answer is a stream of events; id_of() returns the id of its execution from these
// events.
inline std::string streamed(const std::string& body, const std::string& token) {
  return post("/v1/exec", token,
              "Content-Type: application/json\r\nAccept: application/x-ndjson\r\nContent-Length: " +
                  std::to_string(body.size())) +
         body;
}
inline std::string id_of(const std::string& events) {
  const std::size_t at = events.find("\"id\":\"");
  REQUIRE_MESSAGE(at != std::string::npos, events);
  return events.substr(at + 6, 16);
}

using Members = std::map<std::string, std::string>;

// Returns a valid request in which `parts` replace members of the same name.
inline std::string request(const Members& parts = {}) {
  Members members = {{"script", R"("tool/go")"},
                     {"source", R"("echo '{}' > $OUTPUT_PATH")"},
                     {"lib", "[]"},
                     {"input", "{}"},
                     {"config", "{}"},
                     {"rules", "{}"},
                     {"env", "{}"},
                     {"secrets", "{}"},
                     {"files", "[]"}};
  for (const auto& [key, member] : parts) members[key] = member;
  std::string text;
  for (const auto& [key, member] : members)
    text.append(text.empty() ? "{\"" : ",\"").append(key).append("\":").append(member);
  return text + "}";
}
inline std::string request(const std::string& name, const std::string& value) {
  return request(Members{{name, value}});
}

}  // namespace band::test
