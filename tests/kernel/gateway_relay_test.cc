// band-gateway: bytes on a connection, many connections, and how they end.
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <sstream>

#include "server/base/io.h"
#include "server/gateway/pump.h"
#include "tests/kernel/gateway_world.h"
#include "tests/kernel/in_child.h"
#include "tests/within.h"

using namespace band;
using namespace band::test;
using Kind = gateway::Event::Kind;

namespace {

// A sanitizer delays freeing memory, and pads allocations.
#ifdef BAND_SANITIZED
constexpr long kTimes = 8;
#else
constexpr long kTimes = 1;
#endif

// Kilobytes of a process's own memory, without the contents of its pipes.
long resident_kb(pid_t pid) {
  const auto status = base::read_file("/proc/" + std::to_string(pid) + "/status", 1 << 16);
  return std::atol(status->c_str() + status->find("VmRSS:") + 6);
}

// Memory of TCP in all network namespaces of the machine (/proc/net/sockstat, in pages).
long tcp_memory_kb() {
  const auto all = base::read_file("/proc/self/net/sockstat", 1 << 16);
  const std::size_t tcp = all->find("TCP:");
  return std::atol(all->c_str() + all->find("mem ", tcp) + 4) * 4;
}

// Waits until the memory has not fallen, or not risen, for 300 ms, because data moves from one buffer to the next.
enum class Until { NoLess, NoMore };
long settled_tcp_memory_kb(Until until) {
  long last = tcp_memory_kb();
  for (int i = 0; i < 50; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const long now = tcp_memory_kb();
    if (until == Until::NoLess ? now >= last : now <= last) break;
    last = now;
  }
  return last;
}

// For a server whose own memory must not affect the measurement.
void keep_little(const Wire& wire) {
  const int small = 64 << 10;
  for (const int option : {SO_SNDBUF, SO_RCVBUF}) ::setsockopt(wire.fd(), SOL_SOCKET, option, &small, sizeof small);
}

// The kernel's limit of one socket's receive buffer (tcp(7)): some megabytes, depending on the machine.
long largest_receive_buffer_kb() {
  const auto sizes = base::read_file("/proc/sys/net/ipv4/tcp_rmem", 256);
  return std::atol(sizes->c_str() + sizes->rfind('\t')) >> 10;
}

// The value of a socket option on each of the gateway's connections.
std::vector<int> option_towards(Towards side, const Served& served, int level, int option) {
  std::vector<int> values;
  for (const base::Fd& fd : served.connections(side)) {
    int value = -1;
    socklen_t length = sizeof value;
    REQUIRE(::getsockopt(fd.get(), level, option, &value, &length) == 0);
    values.push_back(value);
  }
  return values;
}

std::string numbered(std::size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) text += std::to_string(i) + "\n";
  text.resize(bytes);
  return text;
}

}  // namespace

TEST_CASE("the relay forwards data completely and in order, in both directions at the same time") {
  const Upstream server("5.5.5.5", 8000, echo);
  ServedOne at(8000);
  const Wire wire = connect(at.address, 8000);
  const std::string text = numbered(64 << 20);
  std::thread sender([&] {
    wire.send(text);
    wire.end();
  });
  const std::string back = wire.rest();
  ::shutdown(wire.fd(), SHUT_RDWR);  // unblocks the sender if relaying has stopped
  sender.join();
  CHECK(back.size() == text.size());
  CHECK((back == text));  // parenthesised, because 64 MiB are too long to print
  for (const auto& event : at.served.end())
    if (event.kind == Kind::Relayed && !event.open) CHECK((event.up == text.size() && event.down == text.size()));
}

TEST_CASE("uploads to servers that send nothing and read late are forwarded completely, each to its own server") {
  constexpr std::size_t kConnections = 4;
  std::atomic<bool> read = false;
  std::mutex mutex;
  std::vector<std::string> received;
  {
    const Upstream server("5.5.5.5", 8010, [&](Wire& wire) {
      (void)within(kWaitMs, [&] { return read.load(); });
      const std::string all = wire.rest();
      const std::lock_guard lock(mutex);
      received.push_back(all);
    });
    ServedOne at(8010);
    std::vector<Wire> wires;
    std::vector<std::thread> senders;
    for (std::size_t i = 0; i < kConnections; ++i) wires.push_back(connect(at.address, 8010));
    for (std::size_t i = 0; i < kConnections; ++i)
      senders.emplace_back([&, i] {
        wires[i].send(std::to_string(i) + "\n" + numbered((3 << 20) + i));
        wires[i].end();
      });
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the buffers between client and server fill
    read = true;
    for (std::thread& sender : senders) sender.join();
    for (const Wire& wire : wires) CHECK(wire.rest().empty());
  }
  std::sort(received.begin(), received.end());
  REQUIRE(received.size() == kConnections);
  for (std::size_t i = 0; i < kConnections; ++i)
    CHECK((received[i] == std::to_string(i) + "\n" + numbered((3 << 20) + i)));
}

TEST_CASE("each peer of a relayed connection may send EOF first, and its peer can still send") {
  const Upstream late("5.5.5.5", 8001, [](Wire& wire) {
    const std::string received = wire.rest();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    wire.send("got " + received);
  });
  const Upstream early("5.5.5.5", 8002, [](Wire& wire) {
    wire.send("bye\n");
    wire.end();
    CHECK(wire.rest() == "still here\n");
  });
  Served served({"up.example:8001", "up.example:8002"});
  Dns dns;
  dns.set("up.example", {"5.5.5.5"});
  const std::string address = resolve("up.example");
  const Wire first = connect(address, 8001);
  first.send("all\n");
  first.end();
  CHECK(first.rest() == "got all\n");
  const Wire second = connect(address, 8002);
  CHECK(second.rest() == "bye\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  CHECK(second.send("still here\n"));
  second.end();
  served.end();  // an orderly end: data in transit is delivered
}

TEST_CASE("a reset by one peer of a relayed connection resets the connection to the other peer") {
  const Upstream server("5.5.5.5", 8003, [](Wire& wire) {
    wire.read(2);
    const linger now{1, 0};
    ::setsockopt(wire.fd(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  });
  ServedOne at(8003);
  const Wire wire = connect(at.address, 8003);
  wire.send("x\n");
  CHECK(wire.rest() == "(reset)");
}

TEST_CASE("if a reader stops reading, the relay stops reading from the writer and uses no further memory") {
  std::atomic<std::uint64_t> sent = 0;
  const Upstream server("5.5.5.5", 8004, [&](Wire& wire) {
    const std::string block(64 << 10, 'x');
    while (sent < (1u << 30) && wire.send(block)) sent += block.size();
  });
  ServedOne at(8004);
  const long before = resident_kb(at.served.pid());
  {
    const Wire wire = connect(at.address, 8004);
    std::uint64_t last = 1;
    for (int i = 0; i < 50 && sent != last; ++i) {
      last = sent;
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    CHECK(sent == last);        // the writer is blocked
    CHECK(sent < (64u << 20));  // buffers of four sockets, and a pipe
    CHECK(resident_kb(at.served.pid()) - before < kTimes * 1024);
    CHECK(wire.read(1 << 20).size() == 1 << 20);  // and it continues
  }
}

TEST_CASE("for a hundred clients that stop reading, the kernel holds little data, although their windows have grown") {
  const auto flood = [](Wire& wire) {
    keep_little(wire);
    const std::string block(64 << 10, 'x');
    wire.read(2);
    while (wire.send(block)) {
    }
  };
  const Upstream server("5.5.5.5", 8006, flood);
  ServedOne at(8006);
  const long before = settled_tcp_memory_kb(Until::NoLess);  // memory of earlier tests is still being freed
  std::vector<Wire> wires;
  for (int i = 0; i < 100; ++i) {
    wires.push_back(connect(at.address, 8006));
    wires.back().send("*\n");
    REQUIRE(wires.back().read(12 << 20, 30'000).size() == 12 << 20);
  }
  const long kept = settled_tcp_memory_kb(Until::NoMore) - before;
  MESSAGE("in the kernel for 100 readers: " << kept << " kB");
  // 1 MiB per connection for all its sockets, except the first few connections' sockets towards the server.
  CHECK(kept < 100 * 1024L + long{gateway::kWithLargeBuffers} * largest_receive_buffer_kb());
}

TEST_CASE("for a hundred clients that write to a server that does not read, the kernel holds little data") {
  std::atomic<bool> over = false;
  const auto deaf = [&](Wire& wire) {
    keep_little(wire);
    while (!over) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  const Upstream server("5.5.5.5", 8007, deaf);
  ServedOne at(8007);
  const long before = tcp_memory_kb();
  std::vector<Wire> wires;
  for (int i = 0; i < 100; ++i) {
    wires.push_back(connect(at.address, 8007));
    REQUIRE(wires.back());
  }
  stuff(wires);
  const long kept = tcp_memory_kb() - before;
  over = true;
  MESSAGE("in the kernel for 100 writers: " << kept << " kB");
  CHECK(kept > 100 * 128);  // they did write
  CHECK(kept < 100 * 1280);
}

TEST_CASE("connections that wait because of the rate limit use little kernel memory") {
  constexpr int kWaiting = 60;
  std::atomic<bool> over = false;
  const Upstream server("5.5.5.5", 8008, [&](Wire& wire) {
    keep_little(wire);
    const std::string word = wire.read(2);
    wire.send(word);
    while (word != "x\n" && !over) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  ServedOne at(8008, [](auto& plan) {
    plan.config.max_connections = kWaiting;
    plan.config.connections_per_second = 1;
  });
  for (int i = 0; i < kWaiting; ++i) {
    const Wire wire = connect(at.address, 8008);
    wire.send("x\n");
    REQUIRE(wire.rest() == "x\n");
  }
  REQUIRE(within(kWaitMs, [&] { return at.served.connections(Towards::Script).empty(); }));
  const long before = tcp_memory_kb();
  std::vector<Wire> wires;
  for (int i = 0; i < kWaiting; ++i) {
    wires.push_back(connect(at.address, 8008));
    REQUIRE(wires.back());
  }
  stuff(wires);
  const long kept = tcp_memory_kb() - before;
  over = true;
  MESSAGE("in the kernel for " << kWaiting << " waiting connections: " << kept << " kB");
  CHECK(kept > kWaiting * 128);  // they did write
  CHECK(kept < kWaiting * 1024);
}

TEST_CASE("urgent data and the bytes after it are forwarded as ordinary bytes") {
  const auto send_urgent = [](const Wire& wire) {
    wire.send("ab");
    CHECK(::send(wire.fd(), "X", 1, MSG_OOB | MSG_NOSIGNAL) == 1);
    wire.send("cd");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    wire.send("efgh");
    wire.end();
  };
  std::string received;
  const Upstream server("5.5.5.5", 8009, [&](Wire& wire) {
    received = wire.rest();
    send_urgent(wire);
  });
  ServedOne at(8009);
  const Wire wire = connect(at.address, 8009);
  const int yes = 1;
  ::setsockopt(wire.fd(), SOL_SOCKET, SO_OOBINLINE, &yes, sizeof yes);
  wire.send("first\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  send_urgent(wire);
  CHECK(wire.rest() == "abXcdefgh");
  CHECK(received == "first\nabXcdefgh");
}

TEST_CASE("five hundred connections can be open at the same time, and a connection above the limit is refused") {
  allow_descriptors(4'096);
  const Upstream server("5.5.5.5", 8005, echo);
  ServedOne at(8005, [](auto& plan) { plan.config.max_connections = 500; });
  std::vector<Wire> wires;
  for (int i = 0; i < 500; ++i) {
    wires.push_back(connect(at.address, 8005));
    REQUIRE(wires.back());
    wires.back().send(std::to_string(i) + "\n");
  }
  for (int i = 0; i < 500; ++i) {
    const std::string line = std::to_string(i) + "\n";
    CHECK(wires[static_cast<std::size_t>(i)].read(line.size()) == line);
  }
  CHECK(said_back(at.address, 8005) == "(reset)");
  CHECK(at.served.reported("a connection refused (more than 500 at a time: gateway.limit.connections)"));
  MESSAGE("memory for 500 connections: " << resident_kb(at.served.pid()) << " kB");
  CHECK(resident_kb(at.served.pid()) < kTimes * (32 << 10));
  wires.pop_back();
  bool again = false;  // once the closed connection's EOF has reached the server and back; an attempt takes under 1 ms
  for (const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(kWaitMs);
       !again && std::chrono::steady_clock::now() < until; std::this_thread::sleep_for(std::chrono::milliseconds(5))) {
    const Wire wire = connect(at.address, 8005);
    again = wire.send("x\n") && wire.read(2) == "x\n";
  }
  CHECK(again);
  int relayed = 0;
  const auto events = at.served.end();
  for (const auto& event : events) relayed += event.kind == Kind::Relayed && event.open ? 1 : 0;
  CHECK(relayed == 501);
}

TEST_CASE("connections that are opened and closed as fast as possible use few ports of the machine") {
  const Upstream server("5.5.5.5", 8014, echo);
  ServedOne at(8014, [](auto& plan) { plan.config.max_connections = plan.config.connections_per_second = 50; });
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  int tried = 0;
  for (; Clock::now() - begin < std::chrono::seconds(2); ++tried) connect(at.address, 8014).close();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const int reached = server.connections();
  MESSAGE(reached << " of " << tried << " connections went out in " << seconds << " s");
  CHECK(reached >= 50);
  CHECK(reached <= 50 + 50 * seconds + 1);
  CHECK(at.served.reported("a connection refused (more than 50 at a time"));  // the control: it was a flood
}

TEST_CASE(
    "connections that wait because of the rate limit are all made later, and connections that are refused do not "
    "wait") {
  const Upstream server("5.5.5.5", 8015, echo);
  Served served({"up.example:8015", "up.example:80"}, {}, [](auto& plan) {
    plan.config.max_connections = 5;
    plan.config.connections_per_second = 1;
  });
  Dns dns;
  dns.set("up.example", {"5.5.5.5"});
  const std::string address = resolve("up.example");
  const auto answers = [](const Wire& wire) { return wire.read(2, 10'000) == "x\n"; };
  for (int i = 0; i < 5; ++i) {
    const Wire wire = connect(address, 8015);
    wire.send("x\n");
    REQUIRE(answers(wire));
  }
  // Otherwise they count towards max_connections, and the connection to another host is refused without an answer.
  REQUIRE(within(kWaitMs, [&] { return served.connections(Towards::Script).empty(); }));
  std::vector<Wire> waiting;
  waiting.reserve(3);
  for (int i = 0; i < 3; ++i) waiting.push_back(connect(address, 8015));
  const Wire foreign = connect(address, 80);
  foreign.send("GET / HTTP/1.1\r\nHost: other.example\r\n\r\n");
  CHECK(foreign.rest().find("HTTP/1.1 403 ") == 0);
  int failed = 0;
  CHECK_FALSE(connect(address, 8016, &failed));
  CHECK(failed == ECONNREFUSED);
  CHECK(server.connections() < 8);  // the control: some wait
  for (const Wire& wire : waiting) {
    wire.send("x\n");
    CHECK(answers(wire));
  }
  CHECK(server.connections() == 8);
}

TEST_CASE("thousands of connections are reported as sums, one for each host and port that was reached") {
  const auto answer = [](Wire& wire) { wire.send(wire.read(2)); };
  const Upstream many("5.5.5.5", 8011, answer), last("5.5.5.5", 8012, answer);
  Served served({"up.example:80", "up.example:8011", "up.example:8012", "up.example:8013"}, {},
                [](auto& plan) { plan.config.connections_per_second = 10'000; });
  Dns dns;
  dns.set("up.example", {"5.5.5.5"});
  const std::string address = resolve("up.example");
  const auto use = [&](std::uint16_t port) {
    const Wire wire = connect(address, port);
    return wire.send("x\n") && wire.read(2) == "x\n";
  };
  constexpr int kMany = 1'100, kSingly = 1'024;
  for (int i = 0; i < kMany; ++i) REQUIRE(use(8011));
  CHECK(use(8012));
  for (int i = 0; i < 20; ++i) {
    CHECK_FALSE(use(8013));
    connect(address, 80).close();
  }
  CHECK(served.reported("up.example:80 failed: the client closed the connection before it sent a request"));
  std::map<std::string, std::pair<int, std::uint64_t>> reported;  // number of events, and sum of their counts
  std::uint64_t up = 0;
  for (const auto& event : served.end()) {
    auto& [events, count] = reported[event.text + (event.open ? " open" : "")];
    ++events;
    count += event.count;
    if (!event.open && event.kind == Kind::Relayed && event.port == 8011) up += event.up;
  }
  CHECK(reported["up.example:8011 open"].first == kSingly);
  CHECK(reported["up.example:8012 open"].first == 1);
  CHECK(reported["up.example:8011"] == std::pair<int, std::uint64_t>(kSingly + 1, kMany));
  CHECK(reported["up.example:8012"].second == 1);
  CHECK(up == kMany * 2);
  CHECK(reported["up.example:8013 failed: Connection refused"] == std::pair<int, std::uint64_t>(2, 20));
  CHECK(reported["up.example:80 failed: the client closed the connection before it sent a request"].first <= 2);
}

TEST_CASE("at the end of an execution every connection is closed, and its number of bytes is reported") {
  const Upstream server("5.5.5.5", 8006, echo);
  ServedOne at(8006);
  const Wire first = connect(at.address, 8006), second = connect(at.address, 8006);
  for (const Wire* wire : {&first, &second}) {
    wire->send("hello\n");
    CHECK(wire->read(6) == "hello\n");
  }
  int ended = 0;
  for (const auto& event : at.served.end())
    if (event.kind == Kind::Relayed && !event.open) ended += event.up == 6 && event.down == 6 ? 1 : 0;
  CHECK(ended == 2);
  CHECK(first.rest(1'000).find("(no end)") == std::string::npos);
  CHECK(second.rest(1'000).find("(no end)") == std::string::npos);
}

TEST_CASE("after gateway.limit.bytes bytes, no further bytes are relayed") {
  const Upstream server("5.5.5.5", 8007, echo);
  ServedOne at(8007, [](auto& plan) { plan.config.max_bytes = 1'000'000; });
  const Wire wire = connect(at.address, 8007), other = connect(at.address, 8007);
  other.send("x\n");
  REQUIRE(other.read(2) == "x\n");
  const std::string text = numbered(10'000);
  std::size_t back = 0;
  while (back < 50'000'000 && wire.send(text)) {
    const std::string got = wire.read(text.size());
    back += got.size();
    if (got != text) break;
  }
  CHECK(back > 400'000);
  CHECK(back < 600'000);
  CHECK(at.served.reported("data refused (more than 1000000 bytes: gateway.limit.bytes)"));
  CHECK(other.rest() == "(reset)");  // all open connections are cut
  CHECK(connect(at.address, 8007).rest() == "(reset)");
  CHECK(server.connections() == 2);
}

TEST_CASE("TCP keepalive is on for connections to servers") {
  const Upstream server("5.5.5.5", 8008, echo);
  ServedOne at(8008);
  const Wire wire = connect(at.address, 8008);
  wire.send("x\n");
  wire.read(2);
  std::string sockets;
  in(Place::Machine, [&] { sockets = *base::read_file("/proc/thread-self/net/tcp", 1 << 20); });
  std::istringstream lines(sockets);
  bool kept_alive = false;
  for (std::string line; std::getline(lines, line);)
    // ... 05050505:1F48 01 tx:rx 02:WHEN: the keepalive timer, in hundredths of a second
    if (const auto at_peer = line.find(" 05050505:1F48 01 "); at_peer != std::string::npos)
      kept_alive =
          line.substr(at_peer + 36, 3) == "02:" && std::stoul(line.substr(at_peer + 39, 8), nullptr, 16) <= 3000;
  CHECK_MESSAGE(kept_alive, sockets);
}

TEST_CASE("both sides have keepalive and no delay; a timeout for unacknowledged data is set towards servers only") {
  const Upstream server("5.5.5.5", 8010, echo);
  ServedOne at(8010);
  const Wire wire = connect(at.address, 8010);
  wire.send("x\n");
  REQUIRE(wire.read(2) == "x\n");
  for (const Towards side : {Towards::Script, Towards::Servers}) {
    CHECK(option_towards(side, at.served, IPPROTO_TCP, TCP_NODELAY) == std::vector<int>{1});
    CHECK(option_towards(side, at.served, SOL_SOCKET, SO_OOBINLINE) == std::vector<int>{1});
    CHECK(option_towards(side, at.served, SOL_SOCKET, SO_KEEPALIVE) == std::vector<int>{1});
    CHECK(option_towards(side, at.served, IPPROTO_TCP, TCP_KEEPIDLE) == std::vector<int>{30});
  }
  CHECK(option_towards(Towards::Script, at.served, IPPROTO_TCP, TCP_USER_TIMEOUT) == std::vector<int>{0});
  CHECK(option_towards(Towards::Servers, at.served, IPPROTO_TCP, TCP_USER_TIMEOUT) == std::vector<int>{120'000});
}

TEST_CASE(
    "the connections of an execution are closed before the next execution starts, and made-up addresses are assigned "
    "from the beginning") {
  Dns dns;
  dns.set("one.example", {"5.5.5.5"});
  dns.set("two.example", {"5.5.5.5"});
  const Upstream server("5.5.5.5", 8009, echo);
  GatewayProcess process;
  std::optional<Wire> old;
  {
    Served first(process, plan_of({"one.example:8009"}));
    old = connect(resolve("one.example"), 8009);
    old->send("x\n");
    CHECK(old->read(2) == "x\n");
    first.end();
  }
  Served second(process, plan_of({"two.example:8009"}));
  CHECK(old->rest(500).find("(no end)") == std::string::npos);
  CHECK(resolve("one.example") == "NXDOMAIN");
  CHECK(resolve("two.example") == "198.18.0.1");
  const Wire fresh = connect("198.18.0.1", 8009);
  fresh.send("y\n");
  CHECK(fresh.read(2) == "y\n");
}
