// The cost of the relay: throughput and round trips of one relayed connection, compared with a direct one over
// loopback, and with one through HAProxy (mode tcp, splice, one thread), measured alternately in one run. The gateway
// is the real process, in separate namespaces (tests/kernel/gateway_world.h).
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "server/base/child.h"
#include "server/base/io.h"
#include "tests/bench/bars.h"
#include "tests/bench/series.h"
#include "tests/kernel/gateway_world.h"
#include "tests/within.h"

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
// `answers`: the server sends two bytes before the upload, as most protocols do. Before that, the relay reads all
// bytes.
double up(const Wire& wire, bool answers) {
  return kBytes / 1e9 / seconds([&] {
           wire.send("*\n");
           if (answers) wire.read(2);
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

constexpr std::uint16_t kSource = 7001, kMirror = 7002, kSink = 7003, kAnsweringSink = 7004;
constexpr std::uint16_t kProxied = 100;  // HAProxy forwards port N + kProxied to port N

// HAProxy in the namespace of the machine.
class Proxy {
 public:
  static std::optional<Proxy> start() {
    if (::access(kProgram, X_OK) != 0) return std::nullopt;
    Proxy proxy;
    std::string config =
        "global\n  nbthread 1\ndefaults\n  mode tcp\n  option splice-request\n  option splice-response\n  timeout "
        "connect 5s\n  timeout client 60s\n"
        "  timeout server 60s\n";
    for (const std::uint16_t port : {kSource, kMirror, kSink, kAnsweringSink})
      config += fmt::format("listen p{0}\n  bind 127.0.0.1:{1}\n  server s 127.0.0.1:{0}\n", port, port + kProxied);
    proxy.config_.reset(::memfd_create("haproxy.cfg", 0));
    if (!base::write_all(proxy.config_.get(), config).ok()) return std::nullopt;
    const base::Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    in(Place::Machine, [&] {
      auto child = base::spawn({{kProgram, "-db", "-q", "-f", "/proc/self/fd/3"},
                                {"PATH=/usr/bin"},
                                {null.get(), STDERR_FILENO, STDERR_FILENO, proxy.config_.get()}});
      if (child.ok()) proxy.child_ = std::move(*child);
    });
    const bool ready = within(5'000, [&] {
      bool connected = false;
      in(Place::Machine, [&] { connected = static_cast<bool>(connect_here("127.0.0.1", kMirror + kProxied)); });
      return connected;
    });
    if (!ready) return std::nullopt;
    return proxy;
  }

 private:
  static constexpr const char* kProgram = "/usr/sbin/haproxy";
  base::Fd config_;
  base::Child child_;
};

enum Way { Direct, Relayed, Proxied };
constexpr const char* kWays[] = {"direct", "relayed", "HAProxy"};

void over(Way way, std::uint16_t port, const std::function<void(const Wire&)>& act) {
  if (way == Relayed) return act(connect("127.0.0.1", port));
  in(Place::Machine, [&] { act(connect_here("127.0.0.1", way == Proxied ? port + kProxied : port)); });
}

// Results for each Way.
using Values = std::array<std::vector<double>, 3>;

void print(const char* what, const char* unit, const Values& values) {
  fmt::print("relay: {:<40}", what);
  for (const Way way : {Direct, Relayed, Proxied})
    if (!values[way].empty()) fmt::print("  {} {:7.2f} {}", kWays[way], median(values[way]), unit);
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  const Upstream source(
      "127.0.0.1", kSource, [](Wire& wire) { wire.read(2), give(wire); }, Place::Machine);
  const Upstream sink(
      "127.0.0.1", kSink, [](Wire& wire) { wire.read(2), take(wire), wire.send("*\n"); }, Place::Machine);
  const Upstream answering(
      "127.0.0.1", kAnsweringSink, [](Wire& wire) { wire.read(2), wire.send("+\n"), take(wire), wire.send("*\n"); },
      Place::Machine);
  const Upstream mirror(
      "127.0.0.1", kMirror, [](Wire& wire) { without_delay(wire), echo(wire); }, Place::Machine);
  std::vector<std::string> allowed;
  for (const std::uint16_t port : {kSource, kMirror, kSink, kAnsweringSink})
    allowed.push_back("localhost:" + std::to_string(port));
  const Served served(allowed, {}, [](gateway::Policy& plan) {
    plan.config.allow_private.push_back(*Cidr::parse("127.0.0.1/32"));
    plan.config.connections_per_second = 10'000;  // the rate limit must not affect the measurement
  });
  const auto proxy = Proxy::start();
  std::vector<Way> ways = {Direct, Relayed};
  if (proxy) ways.push_back(Proxied);
  Values fall, rise, silent, trip, opening;
  for (int round = 0; round < rounds; ++round) {
    for (const Way way : ways) {
      over(way, kSource, [&](const Wire& wire) { fall[way].push_back(down(wire)); });
      over(way, kAnsweringSink, [&](const Wire& wire) { rise[way].push_back(up(wire, true)); });
      over(way, kSink, [&](const Wire& wire) { silent[way].push_back(up(wire, false)); });
      over(way, kMirror, [&](const Wire& wire) { trip[way].push_back(trips(wire)); });
      for (int i = 0; i < 100; ++i)
        opening[way].push_back(1e6 * seconds([&] {
                                 over(way, kMirror, [](const Wire& wire) {
                                   wire.send("*1\r\n");
                                   wire.read(4);
                                 });
                               }));
    }
  }
  print("one download", "GB/s", fall);
  print("one upload", "GB/s", rise);
  print("one upload, the server sends nothing", "GB/s", silent);
  print("a round trip", "us", trip);
  print("connect and one round trip", "us", opening);
  if (!proxy) {
    fmt::print("relay: HAProxy is not installed (apt-get install haproxy), so its bars are left out\n");
    return 0;
  }
  bar("relay, a download, x HAProxy", median(fall[Relayed]) / median(fall[Proxied]), Bound::AtLeast, 1.3);
  bar("relay, an upload, x HAProxy", median(rise[Relayed]) / median(rise[Proxied]), Bound::AtLeast, 1.3);
  bar("relay, a connection, us more than HAProxy", median(opening[Relayed]) - median(opening[Proxied]), Bound::AtMost,
      60);
}
