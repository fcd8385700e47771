// The cost of an execution next to two others that use up their shares: by computing, or by floods of brokered
// commands, which the server has to check. The limit: next to a flood an execution takes at most 1.3 times as long as
// next to computing ones.
//
//     BAND_BENCH_TOKEN=... band-bench-beside PORT ROUNDS     (tools/bench starts the server; it needs three slots)
#include <chrono>
#include <cstdlib>
#include <list>
#include <thread>

#include "tests/bench/connection.h"

namespace {

using namespace band;
using namespace band::bench;

constexpr int kOthers = 2, kRequests = 20;

struct Neighbour {
  const char* name;
  std::string source;  // empty: no neighbour
  std::vector<std::string> deny;
};

const std::vector<Neighbour>& neighbours() {
  static const std::string sixteen = "for i in {1..16}; do (while :; do COMMAND; done 2>/dev/null) & done; wait";
  const auto flood = [](const std::string& command) {
    std::string source = sixteen;
    return source.replace(source.find("COMMAND"), 7, command);
  };
  static const std::vector<Neighbour> all = {
      {"beside nothing", "", {}},
      {"beside two that compute", "while :; do :; done", {}},
      {"beside two floods, one at a time", "while :; do true; done", {"true never"}},
      {"beside two floods of 16", flood("true"), {"true never"}},
      {"beside two floods of 16, refused", flood("true never"), {"true never"}},
  };
  return all;
}

// Executions that run until their connection is closed.
class Others {
 public:
  Others(std::uint16_t port, const std::string& token, const Neighbour& neighbour) {
    if (neighbour.source.empty()) return;
    for (int i = 0; i < kOthers; ++i) {
      Connection& connection = connections_.emplace_back(port, token);
      threads_.emplace_back([&connection, body = request_body(neighbour.source, neighbour.deny)] {
        static_cast<void>(connection.exec(body));
      });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(500));  // until they use their full shares
  }
  ~Others() {
    for (Connection& connection : connections_) connection.hang_up();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::list<Connection> connections_;
  std::vector<std::thread> threads_;
};

Status measure(std::uint16_t port, const std::string& token, const Neighbour& neighbour, Series& series) {
  const Others others(port, token, neighbour);
  Connection connection(port, token);
  const std::string body = request_body(kEcho);
  for (int i = -2; i < kRequests; ++i) {
    const std::int64_t from = base::monotonic_us();
    if (const auto output = connection.exec(body); !output.ok()) return output.error();
    if (i >= 0) series.ms.push_back(static_cast<double>(base::monotonic_us() - from) / 1000.0);
  }
  return done();
}

Status measure_all(const Server& server) {
  std::vector<Series> all;
  for (const Neighbour& neighbour : neighbours()) all.push_back({neighbour.name, nullptr});
  for (int round = 0; round < server.number(0); ++round)
    for (std::size_t i = 0; i < all.size(); ++i)
      BAND_CHECK(named(all[i].name, measure(server.port, server.token, neighbours()[i], all[i])));
  const double computing = all[1].at(0.5);
  fmt::print("\n{:<34}{:>10}{:>10}{:>10}{:>14}\n", "a request", "median ms", "p95 ms", "worst ms", "x computing");
  for (const Series& series : all)
    fmt::print("{:<34}{:>10.2f}{:>10.2f}{:>10.2f}{:>14.2f}\n", series.name, series.at(0.5), series.at(0.95),
               series.at(1), series.at(0.5) / computing);
  return done();
}

}  // namespace

int main(int argc, char** argv) { return run_measure(argc, argv, 1, 1, "ROUNDS", measure_all); }
