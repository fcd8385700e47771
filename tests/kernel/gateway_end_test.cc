// band-gateway: what the kernel keeps of connections to servers after an execution, and what it still sends.
#include <doctest/doctest.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "server/base/io.h"
#include "server/gateway/unacknowledged.h"
#include "tests/deaf_server.h"
#include "tests/kernel/gateway_world.h"
#include "tests/kernel/in_child.h"
#include "tests/within.h"

using namespace band;
using namespace band::test;
using Kind = gateway::Event::Kind;

namespace {

// Number of TCP sockets in the namespace that the gateway dials from, orphaned ones included, TIME-WAIT excluded.
// (sockstat's number of orphans is the sum of all namespaces.)
int sockets_of_machine() {
  std::string sockstat;
  in(Place::Machine, [&] { sockstat = *base::read_file("/proc/thread-self/net/sockstat", 4096); });
  return std::atoi(sockstat.c_str() + sockstat.find("TCP: inuse ") + 11);
}

struct Deaf {
  std::optional<DeafServer> server;
  explicit Deaf(std::uint16_t port) {
    in(Place::Outside, [&] { server.emplace("5.5.5.5", port); });
  }
  DeafServer* operator->() { return &*server; }
};

// More than the receive window of a server that reads nothing, and little enough for the gateway's socket.
const std::string kMoreThanAWindow(150'000, kFiller);

// Opens `count` connections and fills them until no more bytes are accepted.
std::vector<Wire> stuck(const ServedOne& at, std::uint16_t port, int count, Deaf& deaf) {
  std::vector<Wire> wires;
  for (int i = 0; i < count; ++i) {
    wires.push_back(connect(at.address, port));
    REQUIRE(wires.back());
  }
  stuff(wires);
  // The gateway dials them one after the other.
  REQUIRE(within(30'000, [&] { return deaf->connections() == static_cast<std::size_t>(count); }));
  stuff(wires);
  return wires;
}

// The control: without the gateway, data written to `deaf` is still sent after its writer has exited.
void check_that_it_is_sent_on_without_a_gateway(Deaf& deaf) {
  deaf->close();
  std::vector<Wire> direct;
  in(Place::Machine, [&] { direct.push_back(connect_here("5.5.5.5", deaf->port())); });
  REQUIRE(direct.back());
  stuff(direct);
  direct.clear();
  CHECK(sockets_of_machine() == 1);
  const std::uint64_t arrived = deaf->arrived();
  CHECK(deaf->read_all() > arrived);
}

std::uint32_t unacknowledged_bytes(const base::Fd& fd) {
  std::uint32_t memory[SK_MEMINFO_VARS] = {};
  socklen_t size = sizeof memory;
  REQUIRE(::getsockopt(fd.get(), SOL_SOCKET, SO_MEMINFO, memory, &size) == 0);
  return memory[SK_MEMINFO_WMEM_QUEUED];
}

std::uint64_t unacknowledged_kb(const Served& served) {
  std::uint64_t sum = 0;
  for (const base::Fd& fd : served.connections(Towards::Servers)) sum += unacknowledged_bytes(fd);
  return sum >> 10;
}

// Number of connections to servers with unacknowledged data.
std::size_t waiting_for_servers(const Served& served) {
  std::size_t waiting = 0;
  for (const base::Fd& fd : served.connections(Towards::Servers)) waiting += unacknowledged_bytes(fd) > 0 ? 1 : 0;
  return waiting;
}

// A server that reads late: everything, `ms` milliseconds after `begin` is set.
struct Late {
  std::atomic<bool> begin = false, done = false;
  std::string received;
  int state = 0;  // TCP state of its connection before it reads
  Upstream server;
  Late(std::uint16_t port, bool ends_first, int ms)
      : server("5.5.5.5", port, [this, ends_first, ms](Wire& wire) {
          if (ends_first) wire.end();
          while (!begin) std::this_thread::sleep_for(std::chrono::milliseconds(5));
          std::this_thread::sleep_for(std::chrono::milliseconds(ms));
          tcp_info info{};
          socklen_t size = sizeof info;
          ::getsockopt(wire.fd(), IPPROTO_TCP, TCP_INFO, &info, &size);
          state = info.tcpi_state;
          received = wire.rest();
          done = true;
        }) {}
  const std::string& all() {
    REQUIRE(within(kWaitMs, [&] { return done.load(); }));
    return received;
  }
};

}  // namespace

TEST_CASE(
    "after an execution, no data for servers that do not read is left in the kernel, and nothing further is sent") {
  allow_descriptors(8'192);
  constexpr int kMany = 512;
  Deaf deaf(8020);
  {
    ServedOne at(8020);
    std::vector<Wire> wires = stuck(at, 8020, kMany, deaf);
    CHECK(sockets_of_machine() == kMany);
    wires.clear();  // the script is dead
    at.served.end();
    REQUIRE(at.served.gone());
    CHECK(sockets_of_machine() == 0);
    const std::uint64_t arrived = deaf->arrived();
    CHECK(arrived > 0);
    CHECK(deaf->read_all() == arrived);
    CHECK(deaf->resets() == kMany);
  }
  check_that_it_is_sent_on_without_a_gateway(deaf);
}

TEST_CASE("after an execution, no data for servers that have sent EOF and do not read is left in the kernel") {
  Deaf deaf(8028);
  ServedOne at(8028);
  std::vector<Wire> wires;
  for (int i = 0; i < 5; ++i) {
    wires.push_back(connect(at.address, 8028));
    wires.back().send(kMoreThanAWindow);
    wires.back().end();
  }
  REQUIRE(within(kWaitMs, [&] { return deaf->connections() == 5 && waiting_for_servers(at.served) == 5; }));
  deaf->end();
  for (const Wire& wire : wires) CHECK(wire.rest().empty());
  wires.clear();
  at.served.end();
  REQUIRE(at.served.gone());
  CHECK(sockets_of_machine() == 0);
  const std::uint64_t arrived = deaf->arrived();
  CHECK(arrived < 5 * kMoreThanAWindow.size());
  CHECK(deaf->read_all() == arrived);
}

TEST_CASE("after a gateway was killed, no data is left in the kernel, and nothing further is sent") {
  Deaf deaf(8021);
  ServedOne at(8021);
  const std::vector<Wire> wires = stuck(at, 8021, 50, deaf);
  CHECK(sockets_of_machine() == 50);
  CHECK(::kill(at.served.pid(), SIGKILL) == 0);
  REQUIRE(at.served.gone());
  CHECK(sockets_of_machine() == 0);
  const std::uint64_t arrived = deaf->arrived();
  CHECK(arrived > 0);
  CHECK(deaf->read_all() == arrived);
  CHECK(deaf->resets() == 50);
}

TEST_CASE(
    "at most 16 MiB of an execution's data are unacknowledged; above this, nothing further is read from the "
    "execution") {
  allow_descriptors(8'192);
  Deaf deaf(8022);
  const Upstream healthy("5.5.5.5", 8023, echo);
  Served served({"up.example:8022", "up.example:8023"}, {}, [](auto& plan) { plan.config.max_connections = 600; });
  Dns dns;
  dns.set("up.example", {"5.5.5.5"});
  const std::string address = resolve("up.example");
  const Wire beside = connect(address, 8023);
  beside.send("x\n");
  REQUIRE(beside.read(2) == "x\n");
  std::vector<Wire> wires;
  for (int i = 0; i < 550; ++i) wires.push_back(connect(address, 8022));
  constexpr std::uint64_t kMost = gateway::kMostUnacknowledged >> 10;
  std::uint64_t kb = 0;
  // stuff() stops when no byte was accepted for a while, which a slow gateway may cause before the limit is reached.
  const std::int64_t until = base::monotonic_us() + 120'000'000;
  for (int unchanged = 0; unchanged < 4 && base::monotonic_us() < until;) {
    stuff(wires);
    const std::uint64_t before = std::exchange(kb, unacknowledged_kb(served));
    unchanged = kb > before ? 0 : unchanged + 1;
  }
  MESSAGE("not acknowledged: " << kb << " kB");
  CHECK(kb > kMost / 4);  // the 550 pipes hold the rest
  CHECK(kb < kMost + (1 << 10));
  beside.send("y\n");
  CHECK(beside.read(2, 500).empty());
  deaf->connections();
  deaf->close();
  CHECK(beside.read(2) == "y\n");
}

TEST_CASE("data that a script has sent before its end is delivered, and the gateway exits only after that") {
  Late late(8024, false, 500);
  std::size_t sent = 0;
  {
    ServedOne at(8024);
    std::vector<Wire> wires;
    wires.push_back(connect(at.address, 8024));
    sent = stuff(wires);
    wires.clear();
    late.begin = true;
    std::uint64_t up = 0;
    for (const auto& event : at.served.end())
      if (event.kind == Kind::Relayed && !event.open) up += event.up;
    CHECK(up == sent);
    REQUIRE(at.served.gone());
    CHECK(sockets_of_machine() == 0);
  }
  CHECK(late.all().size() == sent);
}

TEST_CASE(
    "data that a script sends immediately before its end is delivered, even if the connection is not accepted yet") {
  const std::string last = std::string(1, kFiller) + "last bytes\n";  // without the first byte it could be HTTP
  std::atomic<int> whole = 0;
  const Upstream server("5.5.5.5", 8025, [&](Wire& wire) { whole += wire.rest() == last ? 1 : 0; });
  ServedOne at(8025);
  for (int i = 0; i < 20; ++i) connect(at.address, 8025).send(last);
  at.served.end();
  REQUIRE(at.served.gone());
  CHECK(within(kWaitMs, [&] { return whole == 20; }));
}

TEST_CASE("a server that sends EOF before the script does, and reads late, receives all data and no reset") {
  Late late(8026, true, 0);
  ServedOne at(8026);
  {
    const Wire wire = connect(at.address, 8026);
    CHECK(wire.rest().empty());
    wire.send(kMoreThanAWindow);
  }
  CHECK(within(kWaitMs, [&] { return unacknowledged_kb(at.served) > 0; }));
  late.begin = true;
  CHECK((late.all() == kMoreThanAWindow));  // parenthesised, because the values are too long to print
  CHECK(at.served.reported("up.example:8026"));
}

TEST_CASE("a server that keeps a connection open when the script ends receives EOF, and no reset") {
  Late late(8027, false, 0);
  {
    ServedOne at(8027);
    const Wire wire = connect(at.address, 8027);
    wire.send("bye\n");
    wire.end();
    at.served.end();
    REQUIRE(at.served.gone());
    CHECK(sockets_of_machine() == 0);
  }
  late.begin = true;
  CHECK(late.all() == "bye\n");
  CHECK(late.state == TCP_CLOSE_WAIT);  // after EOF recv(2) does not report a reset
}
