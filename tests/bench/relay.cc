// The cost of the relay: throughput and round trips of one relayed connection, compared with a direct one over
// loopback, measured alternately in one run. The gateway is the real process, in separate namespaces
// (tests/kernel/gateway_world.h).
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "tests/bench/bars.h"
#include "tests/bench/series.h"
#include "tests/kernel/gateway_world.h"

using namespace band;
using namespace band::test;
using band::bench::bar;
using band::bench::Bound;
using band::bench::median;

namespace {

constexpr std::size_t kBlock = 256 << 10;
constexpr std::uint64_t kBytes = 1ull << 30;
constexpr int kTrips = 5'000;

double seconds(const std::function<void()>& act) {
  const auto begin = std::chrono::steady_clock::now();
  act();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void without_delay(const Wire& wire) {
  const int yes = 1;
  ::setsockopt(wire.fd(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

void give(const Wire& wire) {
  const std::string block(kBlock, 'x');
  for (std::uint64_t sent = 0; sent < kBytes; sent += block.size())
    if (!wire.send(block)) return;
}

void take(const Wire& wire) {
  std::vector<char> block(kBlock);
  std::uint64_t had = 0;
  for (ssize_t n = 0; had < kBytes && (n = ::recv(wire.fd(), block.data(), block.size(), 0)) > 0;)
    had += static_cast<std::uint64_t>(n);
  if (had != kBytes) fmt::print("relay: only {} bytes arrived\n", had);
}

// Throughput in GB/s. The client sends first, because the relay waits for its first bytes.
double down(const Wire& wire) {
  return kBytes / 1e9 / seconds([&] {
           wire.send("*\n");
           take(wire);
         });
}
double up(const Wire& wire) {
  return kBytes / 1e9 / seconds([&] {
           wire.send("*\n");
           give(wire);
           wire.read(2);
         });
}

double trips(const Wire& wire) {
  without_delay(wire);
  std::vector<double> us;
  us.reserve(kTrips);
  for (int i = 0; i < kTrips; ++i)
    us.push_back(1e6 * seconds([&] {
                   wire.send("*1\r\n");
                   wire.read(4);
                 }));
  return median(std::move(us));
}

void direct(std::uint16_t port, const std::function<void(const Wire&)>& act) {
  in(Place::Machine, [&] { act(connect_here("127.0.0.1", port)); });
}

void relayed(std::uint16_t port, const std::function<void(const Wire&)>& act) { act(connect("127.0.0.1", port)); }

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  const Upstream source(
      "127.0.0.1", 7001, [](Wire& wire) { wire.read(2), give(wire); }, Place::Machine);
  const Upstream sink(
      "127.0.0.1", 7003, [](Wire& wire) { wire.read(2), take(wire), wire.send("*\n"); }, Place::Machine);
  const Upstream mirror(
      "127.0.0.1", 7002, [](Wire& wire) { without_delay(wire), echo(wire); }, Place::Machine);
  Served served({"localhost:7001", "localhost:7002", "localhost:7003"}, {}, [](gateway::Policy& plan) {
    plan.config.allow_private.push_back(*Cidr::parse("127.0.0.1/32"));
    plan.config.connections_per_second = 10'000;  // the rate limit must not affect the measurement
  });
  std::vector<double> fall[2], rise[2], trip[2], opening[2];
  for (int round = 0; round < rounds; ++round) {
    for (const bool through : {false, true}) {
      const auto over = [&](std::uint16_t port, const std::function<void(const Wire&)>& act) {
        through ? relayed(port, act) : direct(port, act);
      };
      over(7001, [&](const Wire& wire) { fall[through].push_back(down(wire)); });
      over(7003, [&](const Wire& wire) { rise[through].push_back(up(wire)); });
      over(7002, [&](const Wire& wire) { trip[through].push_back(trips(wire)); });
      for (int i = 0; i < 100; ++i)
        opening[through].push_back(1e6 * seconds([&] {
                                     over(7002, [](const Wire& wire) {
                                       wire.send("*1\r\n");
                                       wire.read(4);
                                     });
                                   }));
    }
  }
  fmt::print("relay: one download        direct {:6.2f} GB/s  relayed {:6.2f} GB/s  = {:.2f} x\n", median(fall[0]),
             median(fall[1]), median(fall[1]) / median(fall[0]));
  fmt::print("relay: one upload          direct {:6.2f} GB/s  relayed {:6.2f} GB/s  = {:.2f} x\n", median(rise[0]),
             median(rise[1]), median(rise[1]) / median(rise[0]));
  fmt::print("relay: a round trip        direct {:6.1f} us    relayed {:6.1f} us    + {:.1f} us\n", median(trip[0]),
             median(trip[1]), median(trip[1]) - median(trip[0]));
  fmt::print("relay: connect, one trip   direct {:6.1f} us    relayed {:6.1f} us    + {:.1f} us\n", median(opening[0]),
             median(opening[1]), median(opening[1]) - median(opening[0]));
  bar("relay, a download, x direct", median(fall[1]) / median(fall[0]), Bound::AtLeast, 0.8);
  bar("relay, an upload, x direct", median(rise[1]) / median(rise[0]), Bound::AtLeast, 0.8);
  bar("relay, a connection more, us", median(opening[1]) - median(opening[0]), Bound::AtMost, 100);
}
