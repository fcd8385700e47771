// An execution with net rules, from the script to a server of the machine: the layers around the gateway, and leftovers
// of an execution. Which connections the gateway allows is tested in tests/kernel/gateway_*.
#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "server/base/io.h"
#include "server/landlock/landlock.h"
#include "tests/deaf_server.h"
#include "tests/promises/sandbox.h"

using namespace band::test;

namespace {

With with_net(const std::vector<std::string>& net) {
  With with;
  with.net = net;
  return with;
}

std::string local(const Listener& listener) { return "localhost:" + listener.name(); }

// Both ends of a connection are in this process.
constexpr rlimit kDescriptors{8'192, 8'192};

// Number of sockets of this machine whose peer is that server, orphaned ones included, TIME-WAIT excluded.
int sockets_towards(const DeafServer& server) {
  char peer[32];
  std::snprintf(peer, sizeof peer, " 0100007F:%04X ", server.port());
  std::istringstream lines(*band::base::read_file("/proc/self/net/tcp", 64 << 20));
  int found = 0;
  for (std::string line; std::getline(lines, line);)
    if (const auto at = line.find(peer); at != std::string::npos)  // follows the own address, precedes the state
      found += at > 15 && line.compare(at + 15, 2, "06") != 0 ? 1 : 0;
  return found;
}

// Whether the engine has shut down its side of a stream of `process`: the stream of the execution's events.
bool was_told_of_the_end(pid_t process) {
  const band::base::Fd itself(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  for (int number = 0; itself && number < 64; ++number) {
    const band::base::Fd copy(static_cast<int>(::syscall(SYS_pidfd_getfd, itself.get(), number, 0)));
    int family = 0;
    socklen_t size = sizeof family;
    if (!copy || ::getsockopt(copy.get(), SOL_SOCKET, SO_DOMAIN, &family, &size) != 0 || family != AF_UNIX) continue;
    pollfd one{copy.get(), POLLRDHUP, 0};
    if (::poll(&one, 1, 0) > 0) return true;
  }
  return false;
}

// Connects and stays connected, in the background.
std::string hold(const Listener& listener) {
  return "exec 3<>/dev/tcp/127.0.0.1/" + listener.name() + "; (sleep 100) & disown; ";
}

// The processes that wait for an execution: two (kSpares in server/gateway/main.cc), as soon as a used one is replaced
// and has exited.
std::vector<pid_t> idle_gateways() {
  std::vector<pid_t> idle;
  REQUIRE(wait_until(10'000, [&] { return (idle = gateway_processes()).size() == 2; }));
  return idle;
}

}  // namespace

TEST_CASE("a script can connect to the hosts that its band allows, and to no others") {
  const Listener open(Listener::Tcp), closed(Listener::Tcp);
  const std::string to_open = "band-probe connect-tcp 127.0.0.1 " + open.name(),
                    to_closed = "band-probe connect-tcp 127.0.0.1 " + closed.name();
  CHECK(outside_as(slot_uid(), to_closed) == "did");  // the control
  const Ran ran = run(to_open + "; " + to_closed, with_net({local(open)}));
  CHECK(ran.code == "OK");
  CHECK(ran.out == "did\nrefused ECONNREFUSED");
  CHECK_MESSAGE(ran.ledger.find(":" + closed.name() + " refused") != std::string::npos, ran.ledger);
  CHECK_MESSAGE(ran.ledger.find("in total") == std::string::npos, ran.ledger);  // each packet was reported
}

TEST_CASE(
    "if a script fails after a connection was refused, the hint is to allow the host, unless a rule denies the host") {
  const Listener open(Listener::Tcp), closed(Listener::Tcp);
  const std::string act = "band-probe connect-tcp 127.0.0.1 " + closed.name() + "; exit 6";
  const Ran missing = run(act, with_net({local(open)}));
  CHECK(missing.code == "PERMISSION_DENIED");
  CHECK(missing.hint == "allow the host in the band, or do without it");
  With denying = with_net({local(open)});
  denying.deny_net = {local(closed)};
  const Ran denied = run(act, denying);
  CHECK(denied.code == "PERMISSION_DENIED");
  CHECK_MESSAGE(denied.message.find("deny.net") != std::string::npos, denied.message);
  CHECK(denied.hint == "");
}

TEST_CASE("a declared command has the same network rules as the script") {
  const Listener open(Listener::Tcp), closed(Listener::Tcp);
  With with = with_net({local(open)});
  with.cli = {"python3 -c *"};
  const auto act = [](const Listener& to) {
    return "try python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", " + to.name() +
           "), 5)' | tail -n 1; ";
  };
  CHECK(outside_as(slot_uid(), act(closed)) == "did");  // the control
  const std::string result = inside(act(open) + act(closed), with);
  CHECK_MESSAGE(result.substr(0, 4) == "did\n", result);
  CHECK_MESSAGE(result.find("refused", 4) != std::string::npos, result);
}

TEST_CASE(
    "a name that the band allows has an address, other names have none, and the resolver answers both immediately") {
  With with = with_net({"example.com", "*.example.org"});
  with.cli = {"python3 -c *"};
  // glibc waits five seconds for an answer before it asks again (resolv.conf(5)).
  const auto look_up = [&](const std::string& name) {
    return "python3 -c \"import socket, time\n"
           "begin = time.monotonic()\n"
           "try: found = socket.getaddrinfo('" +
           name +
           "', 443, type=socket.SOCK_STREAM)[0][4][0]\n"
           "except socket.gaierror as error: found = error.strerror\n"
           "print(found if time.monotonic() - begin < 4 else 'late')\"; ";
  };
  const Ran ran = run(
      look_up("example.com") + look_up("a.b.example.org") + look_up("example.org") + look_up("example.com.evil.net"),
      with);
  CHECK_MESSAGE(ran.out == "198.18.0.1\n198.18.0.2\nName or service not known\nName or service not known",
                (ran.out + ran.message + ran.err));
}

TEST_CASE("a script that may connect cannot listen, or `band status` reports that this kernel cannot prevent it") {
  const Listener listener(Listener::Tcp);
  const int abi = band::landlock::abi();
  const auto lacks = band::landlock::missing(abi);
  const bool refused = std::none_of(lacks.begin(), lacks.end(),
                                    [](const std::string& what) { return what.find("TCP bind") != std::string::npos; });
  CHECK(refused == (abi >= 4));
  CHECK(outside_as(slot_uid(), "band-probe listen-tcp 0") == "did");  // the control
  CHECK(inside("band-probe listen-tcp 0", with_net({local(listener)})) == (refused ? "refused EACCES" : "did"));
}

TEST_CASE("a script without net rules has no gateway") {
  const Listener listener(Listener::Tcp);
  const std::size_t before = idle_gateways().size();
  auto networked = start(kHold, with_net({local(listener)}));
  CHECK(held());
  CHECK(wait_until(10'000, [&] { return gateway_processes().size() > before; }));
  let_go();
  CHECK(networked.get().code == "OK");
  // A used gateway process is replaced, and exits with its execution. So without net rules the idle processes are the
  // same during and after the execution.
  const std::vector<pid_t> idle = idle_gateways();
  auto closed = start(kHold);
  CHECK(held());
  CHECK(gateway_processes() == idle);
  let_go();
  CHECK(closed.get().code == "OK");
  CHECK(gateway_processes() == idle);
}

TEST_CASE("an execution whose gateway is killed fails, and the next execution has a new gateway") {
  const Listener listener(Listener::Tcp);
  const std::vector<pid_t> idle = idle_gateways();
  auto running = start(kHold, with_net({local(listener)}));
  REQUIRE(held());
  for (const pid_t pid : idle) ::kill(pid, SIGKILL);  // one of them serves this execution
  const Ran ran = running.get();
  CHECK(ran.code != "OK");
  CHECK_MESSAGE(ran.message.find("gateway: the gateway process of this execution exited") != std::string::npos,
                ran.message);
  CHECK(ran.slot_usable);
  CHECK(inside("band-probe connect-tcp 127.0.0.1 " + listener.name(), with_net({local(listener)})) == "did");
}

TEST_CASE("data that servers have not read when the answer is sent never reaches them, and is not left in the kernel") {
  constexpr std::size_t kMany = 512;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &kDescriptors) == 0);
  DeafServer deaf("127.0.0.1");
  const std::string port = std::to_string(deaf.port());
  With with = with_net({"localhost:" + port});
  with.cli = {"python3 -c *"};
  const std::string flood =
      "import socket, time\n"
      "wires = [socket.create_connection((\"127.0.0.1\", " +
      port + "), 10) for i in range(" + std::to_string(kMany) +
      ")]\n"
      "for wire in wires: wire.setblocking(False)\n"
      "for turn in range(50):\n"
      "  for wire in wires:\n"
      "    try: wire.send(bytes(65536))\n"
      "    except BlockingIOError: pass\n"
      "  time.sleep(0.02)\n";
  CHECK(inside("python3 -c '" + flood + "'; echo done", with) == "done");
  CHECK(sockets_towards(deaf) == 0);
  CHECK(deaf.connections() == kMany);
  const std::uint64_t arrived = deaf.arrived();
  CHECK(arrived > 0);
  CHECK(deaf.read_all() == arrived);
  deaf.close();
  // The control: the same without a sandbox.
  CHECK(outside("python3 -c '" + flood + "'; echo done") == "done");
  CHECK(sockets_towards(deaf) == static_cast<int>(kMany));
  const std::uint64_t first = deaf.arrived();
  CHECK(deaf.read_all() > first);
}

TEST_CASE("an execution whose gateway is killed after the script's end, before its last event, fails") {
  DeafServer deaf("127.0.0.1");
  const std::string port = std::to_string(deaf.port());
  // The gateway then has data to deliver until its deadline.
  const std::string act = "exec 3<>/dev/tcp/127.0.0.1/" + port + "; timeout 1 head -c 50000000 /dev/zero >&3 || true";
  CHECK(run(act, with_net({"localhost:" + port})).code == "OK");  // the control
  const std::vector<pid_t> idle = idle_gateways();
  auto running = start(act, with_net({"localhost:" + port}));
  REQUIRE(wait_until(10'000, [] { return processes_of(slot_uid()).size() >= 2; }));
  REQUIRE(wait_until(10'000, [] { return processes_of(slot_uid()).empty(); }));
  REQUIRE(wait_until(5'000, [&] { return std::any_of(idle.begin(), idle.end(), was_told_of_the_end); }));
  for (const pid_t pid : idle) ::kill(pid, SIGKILL);
  const Ran ran = running.get();
  CHECK(ran.code != "OK");
  CHECK_MESSAGE(ran.message.find("exited before its last event") != std::string::npos, ran.message);
  CHECK(ran.slot_usable);
  CHECK(sockets_towards(deaf) == 0);
}

TEST_CASE("the next execution of a slot finds no connection of the previous execution") {
  const Listener listener(Listener::Tcp);
  const std::string sockets = "grep -c 'TCP: inuse 0 ' /proc/self/net/sockstat";
  const With with = with_net({local(listener)});
  CHECK(inside(hold(listener) + sockets + " || true", with) == "0");  // the control: there are some
  CHECK(inside(sockets) == "1");
  CHECK(inside(hold(listener) + "exec 3>&-; band-probe connect-tcp 127.0.0.1 " + listener.name(), with) == "did");
}
