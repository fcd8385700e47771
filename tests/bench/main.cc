// What an execution costs, against what else one could do: bare bash, and bare bubblewrap with the same floor.
//
// All are taken in turns within one run, because the machine is shared and noisy: what is compared is the ratio of
// medians, never the milliseconds of one run with those of another. Used by tools/bench, which starts the server.
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "schemas/json.h"
#include "schemas/wire.h"
#include "server/base/child.h"
#include "server/base/io.h"

namespace {

using band::Error;
using band::Result;
using band::Status;

struct Series {
  std::string name;
  std::function<Status()> once;
  std::vector<double> ms = {};

  double at(double part) const {
    auto sorted = ms;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
  }
};

Status run_program(const std::vector<std::string>& argv) {
  band::base::Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  BAND_TRY(band::base::Child child,
           band::base::spawn({argv, {"PATH=/usr/bin", "HOME=/tmp"}, {null.get(), null.get(), 2}}));
  const auto exit = child.wait(10'000);
  if (!exit || exit->signalled || exit->code != 0) return band::layer_error("bench", argv[0] + " failed", 0);
  return band::done();
}

// One kept connection, as `band run` has it after its proof.
class Connection {
 public:
  Connection(std::uint16_t port, std::string token) : port_(port), token_(std::move(token)) {}

  Status exec(const std::string& body) {
    if (!socket_ || used_++ == kUses) BAND_CHECK(connect());
    const std::string head = fmt::format(
        "POST /v1/exec HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n"
        "Accept: application/x-ndjson\r\nContent-Length: {}\r\n\r\n",
        port_, token_, body.size());
    BAND_CHECK(band::base::write_all(socket_.get(), head + body));
    std::string answer;
    char buffer[65536];
    while (answer.find("\r\n0\r\n") == std::string::npos) {
      const ssize_t n = ::read(socket_.get(), buffer, sizeof buffer);
      if (n <= 0) return band::layer_error("bench", "the server closed the connection: " + answer.substr(0, 300), 0);
      answer.append(buffer, static_cast<std::size_t>(n));
    }
    if (answer.find("\"data\":{\"ok\":true}") == std::string::npos)
      return band::layer_error("bench", "the execution failed: " + answer.substr(0, 1000), 0);
    return band::done();
  }

 private:
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
      return band::layer_error("bench", "connect", errno);
    return band::done();
  }

  static constexpr int kUses = 100;  // then the server closes it
  int used_ = 0;
  std::uint16_t port_;
  std::string token_;
  band::base::Fd socket_;
};

std::string request_body() {
  band::ExecRequest request;
  request.script = "bench/true";
  request.source = "echo '{\"ok\":true}' > \"$OUTPUT_PATH\"\n";
  return band::dump_json(request_to_json(request));
}

std::vector<std::string> bare_bwrap(const std::string& floor) {
  return {"/usr/bin/bwrap",
          "--ro-bind",
          floor + "/usr",
          "/usr",
          "--ro-bind",
          floor + "/etc",
          "/etc",
          "--symlink",
          "usr/lib",
          "/lib",
          "--symlink",
          "usr/lib64",
          "/lib64",
          "--symlink",
          "usr/bin",
          "/bin",
          "--proc",
          "/proc",
          "--dev",
          "/dev",
          "--tmpfs",
          "/tmp",
          "--unshare-pid",
          "--unshare-ipc",
          "--unshare-uts",
          "--",
          "/usr/bin/bash",
          "-c",
          "echo {} > /tmp/out"};
}

void print_table(const std::vector<Series>& all) {
  const double bash = all[0].at(0.5), bwrap = all[1].at(0.5);
  fmt::print("{:<34}{:>10}{:>10}{:>10}{:>10}\n", "", "median ms", "p95 ms", "x bash", "x bwrap");
  for (const Series& series : all)
    fmt::print("{:<34}{:>10.2f}{:>10.2f}{:>10.2f}{:>10.2f}\n", series.name, series.at(0.5), series.at(0.95),
               series.at(0.5) / bash, series.at(0.5) / bwrap);
}

}  // namespace

int main(int argc, char** argv) {
  const char* token = std::getenv("BAND_BENCH_TOKEN");
  if (argc != 4 || token == nullptr) {
    fmt::print(stderr, "usage: BAND_BENCH_TOKEN=... band-bench PORT FLOOR ROUNDS (see tools/bench)\n");
    return 2;
  }
  const std::string body = request_body();
  Connection connection(static_cast<std::uint16_t>(std::atoi(argv[1])), token);
  std::vector<Series> all = {
      {"bash",
       [] {
         return run_program({"/usr/bin/bash", "-c", "echo {} > /dev/null"});
       }},
      {"bare bwrap with the floor", [&] { return run_program(bare_bwrap(argv[2])); }},
      {"band, request to answer (cold)", [&] { return connection.exec(body); }},
  };
  const int rounds = std::atoi(argv[3]);
  for (int round = -5; round < rounds; ++round) {  // the first five warm every path up and are not counted
    for (Series& series : all) {
      const std::int64_t from = band::base::monotonic_us();
      if (const Status status = series.once(); !status.ok()) {
        fmt::print(stderr, "bench: {}: {}\n", series.name, status.error().message());
        return 1;
      }
      if (round >= 0) series.ms.push_back(static_cast<double>(band::base::monotonic_us() - from) / 1000.0);
    }
  }
  print_table(all);
  return 0;
}
