// Shared by the measures of tools/bench that need a server: a persistent connection, requests, and the command line.
#pragma once

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "schemas/core/json.h"
#include "schemas/wire/wire.h"
#include "server/base/fd.h"
#include "server/base/io.h"
#include "tests/bench/series.h"

namespace band::bench {

// The text of a script that only writes the output which exec() and run() expect.
inline constexpr const char* kEcho = "echo '{\"ok\":true}' > \"$OUTPUT_PATH\"\n";

// One persistent connection. It is like the connection of `band run` after the server has proved that it has the
// token's hash.
class Connection {
 public:
  Connection(std::uint16_t port, std::string token) : port_(port), token_(std::move(token)) {}

  // Ends the running execution, because the server ends an execution when its client disconnects. Another thread may
  // call this.
  void hang_up() { ::shutdown(socket_.get(), SHUT_RDWR); }

  // The answer to the last exec(), unchanged.
  const std::string& answer() const { return answer_; }
  // Sends a request and returns when its execution has started.
  Status begin(const std::string& body) {
    BAND_CHECK(send(body));
    return read_until("\"event\":\"started\"");
  }
  // After begin(): reads what has arrived, without waiting. Returns true when the execution has ended.
  bool answered() {
    char buffer[65536];
    ssize_t n = 0;
    while ((n = ::recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT)) > 0)
      answer_.append(buffer, static_cast<std::size_t>(n));
    return n == 0 || errno != EAGAIN || answer_.find("\"event\":\"result\"") != std::string::npos;
  }
  // Succeeds if the script's output has "ok": true. The output may be longer than one chunk.
  Status run(const std::string& body) {
    BAND_CHECK(send(body));
    BAND_CHECK(read_until("\r\n0\r\n"));
    if (answer_.find("\"data\":{\"ok\":true") == std::string::npos)
      return layer_error("bench", "the execution failed: " + answer_.substr(0, 1000), 0);
    return done();
  }
  // Returns the script's output, which must have "ok": true and be short.
  Result<Json> exec(const std::string& body) {
    BAND_CHECK(run(body));
    const std::string& answer = answer_;
    const std::size_t begin = answer.find("\"data\":{\"ok\":true"), end = answer.find('}', begin);
    return parse_json(answer.substr(begin + 7, end - begin - 6), "the output");
  }

 private:
  Status send(const std::string& body) {
    if (!socket_ || used_++ == kUses) BAND_CHECK(connect());
    const std::string head = fmt::format(
        "POST /v1/exec HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n"
        "Accept: application/x-ndjson\r\nContent-Length: {}\r\n\r\n",
        port_, token_, body.size());
    answer_.clear();
    return base::write_all(socket_.get(), head + body);
  }
  Status read_until(const char* end) {
    char buffer[65536];
    const std::size_t overlap = std::strlen(end) - 1;
    for (std::size_t looked = 0; answer_.find(end, looked) == std::string::npos;) {
      looked = answer_.size() - std::min(answer_.size(), overlap);
      const ssize_t n = ::read(socket_.get(), buffer, sizeof buffer);
      if (n <= 0) return layer_error("bench", "the server closed the connection: " + answer_.substr(0, 300), 0);
      answer_.append(buffer, static_cast<std::size_t>(n));
    }
    return done();
  }
  Status connect() {
    used_ = 1;
    socket_.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      return layer_error("bench", "connect", errno);
    return done();
  }

  static constexpr int kUses = 100;  // the server closes a connection after this number of requests
  std::string answer_;
  int used_ = 0;
  std::uint16_t port_;
  std::string token_;
  base::Fd socket_;
};

inline std::string request_body(const std::string& source, const std::vector<std::string>& deny = {},
                                const std::vector<std::string>& net = {},
                                const std::string& origin = "bench/BAND.md:1") {
  ExecRequest request;
  request.script = "bench/script";
  request.source = source;
  for (const std::string& pattern : deny) request.rules.cli.deny.push_back({pattern, origin});
  RuleSet opened;
  for (const std::string& pattern : net) opened.push_back({pattern, "bench/BAND.md:1"});
  if (!net.empty()) request.rules.net.opened = {opened};
  return dump_json(request_to_json(request));
}

// Prefixes an error with `what`.
inline Status named(const std::string& what, Status status) {
  if (!status.ok()) status.error().doing = what + ": " + status.error().doing;
  return status;
}

// The command line of a measure: PORT and further arguments.
struct Server {
  std::uint16_t port = 0;
  std::string token;
  std::vector<std::string> words;

  int number(std::size_t word) const { return std::atoi(words[word].c_str()); }
};

// The main() of a measure. `least`, `most`: number of arguments after PORT; `usage` describes them.
inline int run_measure(int argc, char** argv, std::size_t least, std::size_t most, const char* usage,
                       const std::function<Status(const Server&)>& measure) {
  const char* token = std::getenv("BAND_BENCH_TOKEN");
  const std::size_t given = argc < 2 ? 0 : static_cast<std::size_t>(argc) - 2;
  if (argc < 2 || given < least || given > most || token == nullptr) {
    fmt::print(stderr, "usage: BAND_BENCH_TOKEN=... {} PORT {} (see tools/bench)\n", argv[0], usage);
    return 2;
  }
  const Status measured = measure({static_cast<std::uint16_t>(std::atoi(argv[1])), token, {argv + 2, argv + argc}});
  if (!measured.ok()) fmt::print(stderr, "bench: {}\n", measured.error().message());
  return measured.ok() ? 0 : 1;
}

}  // namespace band::bench
