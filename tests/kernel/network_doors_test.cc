// The firewall's doors: which packets of an execution with net rules reach the relay and the resolver, and that all
// others are rejected. No Landlock, no seccomp: processes of the slot's uid in a slot's network namespace.
#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <linux/netfilter_ipv4.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "server/base/io.h"
#include "server/firewall/firewall.h"
#include "server/layout/made_up.h"
#include "server/network/sockets.h"
#include "server/slot/network.h"
#include "tests/kernel/in_child.h"

using namespace band;
using namespace band::test;

namespace {

constexpr uid_t kUid = 0x72000000, kOther = 0x72000001;

sockaddr_in address(const char* ip, std::uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(port);
  result.sin_addr.s_addr = ::inet_addr(ip);
  return result;
}
const sockaddr* any(const sockaddr_in& address) { return reinterpret_cast<const sockaddr*>(&address); }

std::string text_of(const sockaddr_in& address) {
  return ::inet_ntoa(address.sin_addr) + std::string(":") + std::to_string(ntohs(address.sin_port));
}

// A relay and a resolver that answer with their name and the connection's original destination.
class Answers {
 public:
  explicit Answers(const network::Sockets& sockets) : sockets_(sockets), thread_([this] { work(); }) {}
  ~Answers() {
    stop_ = true;
    thread_.join();
  }

 private:
  void work() {
    while (!stop_) {
      pollfd all[] = {{sockets_.relay.get(), POLLIN, 0},
                      {sockets_.resolver_udp.get(), POLLIN, 0},
                      {sockets_.resolver_tcp.get(), POLLIN, 0}};
      ::poll(all, 3, 20);
      if (all[0].revents != 0) connection(sockets_.relay.get(), "relay");
      if (all[1].revents != 0) question(sockets_.resolver_udp.get());
      if (all[2].revents != 0) connection(sockets_.resolver_tcp.get(), "resolver");
    }
  }
  static void connection(int listener, const std::string& who) {
    const base::Fd fd(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
    sockaddr_in meant{};
    socklen_t size = sizeof meant;
    ::getsockopt(fd.get(), SOL_IP, SO_ORIGINAL_DST, &meant, &size);
    (void)base::write_all(fd.get(), who + " for " + text_of(meant));
    ::shutdown(fd.get(), SHUT_WR);
    char byte = 0;
    while (::read(fd.get(), &byte, 1) > 0) {  // until EOF: closing earlier would send a reset and discard the answer
    }
  }
  static void question(int socket) {
    sockaddr_in from{};
    socklen_t size = sizeof from;
    char bytes[64];
    ::recvfrom(socket, bytes, sizeof bytes, 0, reinterpret_cast<sockaddr*>(&from), &size);
    ::sendto(socket, "resolver", 8, 0, any(from), size);
  }

  const network::Sockets& sockets_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

// Runs `act` in a child process in a slot's network namespace, with these openings.
std::string with_doors(const std::vector<NetRules::Opening>& openings,
                       const std::function<std::string(firewall::Chain&, network::Sockets&)>& act) {
  return in_child([&]() -> std::string {
    if (::unshare(CLONE_NEWNET) != 0) return "no namespace";
    if (const Status ready = slot::prepare_network(); !ready.ok()) return ready.error().message();
    if (const Status ready = firewall::prepare(); !ready.ok()) return ready.error().message();
    auto sockets = network::open_sockets();
    if (!sockets.ok()) return sockets.error().message();
    auto chain = firewall::install(
        "0123456789abcdef", kUid,
        firewall::Doors{network::kRelayPort, network::kResolverPort, network::kRefusalGroup, openings});
    if (!chain.ok()) return chain.error().message();
    return act(*chain, *sockets);
  });
}

// The control: runs `act` in a network where every address is local and nothing is filtered.
std::string unwalled(const std::function<std::string()>& act) {
  return in_child([&]() -> std::string {
    if (::unshare(CLONE_NEWNET) != 0 || !slot::prepare_network().ok()) return "no namespace";
    return act();
  });
}

std::string as(uid_t uid, const std::function<std::string()>& act) {
  return in_child([&] {
    if (::setresgid(uid, uid, uid) != 0 || ::setresuid(uid, uid, uid) != 0) return std::string("no uid");
    ::alarm(2);  // ends the wait if packets are dropped
    return act();
  });
}

std::string received(int fd) {
  char bytes[128];
  std::string text;
  for (ssize_t n = 0; (n = ::recv(fd, bytes, sizeof bytes, 0)) > 0;) {
    text.append(bytes, static_cast<std::size_t>(n));
    int type = 0;
    socklen_t size = sizeof type;
    if (::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_DGRAM) break;
  }
  return text;
}

// Connects by TCP. Returns the bytes received, or how the connection was refused.
std::string tcp(const sockaddr_in& to, int fd = ::socket(AF_INET, SOCK_STREAM, 0)) {
  if (::connect(fd, any(to), sizeof to) != 0) return did_if(false);
  return received(fd);
}
std::string udp(const sockaddr_in& to, int fd = ::socket(AF_INET, SOCK_DGRAM, 0)) {
  if (::connect(fd, any(to), sizeof to) != 0 || ::send(fd, "?", 1, 0) != 1) return did_if(false);
  return received(fd);
}

// Listens at `at`.
base::Fd listener(const sockaddr_in& at) {
  base::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::bind(fd.get(), any(at), sizeof at) != 0 || ::listen(fd.get(), 8) != 0) ::_exit(97);
  return fd;
}

// A script listens at `own` and sends "script" to its client; a command of the same uid connects to `to`.
std::string command_connects(const char* own, const char* to, std::uint16_t port) {
  return as(kUid, [&] {
    const base::Fd script = listener(address(own, port));
    std::thread([fd = script.get()] {
      const base::Fd caught(::accept4(fd, nullptr, nullptr, SOCK_CLOEXEC));
      (void)base::write_all(caught.get(), "script");
    }).detach();
    return tcp(address(to, port));
  });
}

const NetRules::Opening kNames{layout::kMadeUpNetwork, layout::kMadeUpBits, 443};
const NetRules::Opening kNamesAllPorts{layout::kMadeUpNetwork, layout::kMadeUpBits, std::nullopt};

}  // namespace

TEST_CASE("a connection to an allowed address arrives at the relay with its original destination") {
  CHECK(with_doors({kNames}, [](auto&, auto& sockets) {
          const Answers answers(sockets);
          return as(kUid, [] { return tcp(address("198.18.0.7", 443)); });
        }) == "relay for 198.18.0.7:443");
}

TEST_CASE("connections to networks and ports that are not in the openings are refused immediately and counted") {
  const auto reach = [](const std::vector<NetRules::Opening>& openings, const char* ip, std::uint16_t port) {
    return with_doors(openings, [&](auto& chain, auto& sockets) {
      const Answers answers(sockets);
      const std::string outcome = as(kUid, [&] { return tcp(address(ip, port)); });
      return outcome + ", " + std::to_string(chain.counters()->refused_packets);
    });
  };
  CHECK(reach({kNames}, "198.19.255.1", 443) == "relay for 198.19.255.1:443, 0");
  CHECK(reach({kNames}, "198.20.0.1", 443) == "refused ECONNREFUSED, 1");
  CHECK(reach({kNames}, "198.18.0.7", 80) == "refused ECONNREFUSED, 1");
  CHECK(reach({kNamesAllPorts}, "198.18.0.7", 80) == "relay for 198.18.0.7:80, 0");
  CHECK(reach({{0x0a010200, 24, 8080}}, "10.1.2.3", 8080) == "relay for 10.1.2.3:8080, 0");
  CHECK(reach({{0x0a010200, 24, 8080}}, "10.1.3.3", 8080) == "refused ECONNREFUSED, 1");
  CHECK(reach({{0, 0, std::nullopt}}, "8.8.8.8", 22) == "relay for 8.8.8.8:22, 0");
  CHECK(reach({}, "198.18.0.7", 443) == "refused ECONNREFUSED, 1");
}

TEST_CASE("a direct connection to the relay is refused, for any openings") {
  for (const auto& openings : std::vector<std::vector<NetRules::Opening>>{{kNames}, {{0, 0, std::nullopt}}})
    CHECK(with_doors(openings, [](auto&, auto& sockets) {
            const Answers answers(sockets);
            return as(kUid, [] { return tcp(address("127.0.0.1", network::kRelayPort)); });
          }) == "refused ECONNREFUSED");
  CHECK(unwalled([] {  // the control
          auto sockets = network::open_sockets();
          const Answers answers(*sockets);
          return as(kUid, [] { return tcp(address("127.0.0.1", network::kRelayPort)).substr(0, 5); });
        }) == "relay");
}

TEST_CASE(
    "DNS queries to any address arrive at the resolver of the execution, by UDP and TCP, and the answer comes from the "
    "queried address") {
  CHECK(with_doors({}, [](auto&, auto& sockets) {
          const Answers answers(sockets);
          std::string all;
          for (const char* ip : {"127.0.0.1", "8.8.8.8", "198.18.0.1"})
            all += as(kUid, [&] { return udp(address(ip, 53)); }) + " " +
                   as(kUid, [&] { return tcp(address(ip, 53)).substr(0, 8); }) + "; ";
          return all;
        }) == "resolver resolver; resolver resolver; resolver resolver; ");
}

TEST_CASE("UDP to any port except 53 is refused, with or without an opening") {
  const auto send = [](std::uint16_t port) {
    return with_doors({{0, 0, std::nullopt}}, [&](auto&, auto& sockets) {
      const Answers answers(sockets);
      return as(kUid, [&] { return udp(address("198.18.0.7", port)); });
    });
  };
  CHECK(send(53) == "resolver");
  CHECK(send(443) == "refused EPERM");
  CHECK(send(network::kRelayPort) == "refused EPERM");
}

TEST_CASE("every packet of the slot's uid is counted, and nothing else") {
  const auto counted_after = [](const std::function<std::string()>& act) {
    return with_doors({kNames}, [&](auto& chain, auto& sockets) {
      const Answers answers(sockets);
      (void)act();
      return std::to_string(chain.counters()->packets);
    });
  };
  CHECK(counted_after([] { return as(kUid, [] { return std::string("nothing"); }); }) == "0");
  CHECK(counted_after([] {
          return as(kUid, [] {
            const base::Fd listening = listener(address("127.0.0.1", 8080));
            return std::string("a socket without a packet");
          });
        }) == "0");
  CHECK(counted_after([] { return as(kUid, [] { return udp(address("10.11.12.13", 443)); }); }) == "1");
  CHECK(counted_after([] { return as(kUid, [] { return tcp(address("10.11.12.13", 443)); }); }) == "1");
  CHECK(counted_after([] { return as(kUid, [] { return udp(address("127.0.0.1", 53)); }); }) == "1");
  CHECK(counted_after([] { return as(kUid, [] { return tcp(address("198.18.0.7", 443)); }); }) != "0");
  CHECK(counted_after([] { return as(kOther, [] { return udp(address("10.11.12.13", 443)); }); }) == "0");
}

TEST_CASE("only the slot's uid reaches the relay and the resolver") {
  CHECK(with_doors({kNames}, [](auto& chain, auto& sockets) {
          const Answers answers(sockets);
          const std::string by_tcp = as(kOther, [] { return tcp(address("198.18.0.7", 443)); });
          const std::string by_udp = as(kOther, [] { return udp(address("127.0.0.1", 53)); });
          return by_tcp + "; " + by_udp + "; " + std::to_string(chain.counters()->refused_packets);
        }) == "killed SIGALRM; refused EPERM; 0");
}

TEST_CASE("a script that listens does not receive the connection of a command to a name") {
  for (const char* own : {"0.0.0.0", "198.18.0.7"}) {
    CHECK(unwalled([&] { return command_connects(own, "198.18.0.7", 8443); }) == "script");  // the control
    const auto walled = [&](const std::vector<NetRules::Opening>& openings) {
      return with_doors(openings, [&](auto&, auto& sockets) {
        const Answers answers(sockets);
        return command_connects(own, "198.18.0.7", 8443);
      });
    };
    CHECK(walled({kNamesAllPorts}) == "relay for 198.18.0.7:8443");
    CHECK(walled({kNames}) == "refused ECONNREFUSED");
  }
}

TEST_CASE("the slot's uid cannot bind the ports of the relay and of the resolver, whether they are in use or free") {
  const auto bind = [](int type, std::uint16_t port) {
    return as(kUid, [&] {
      const int fd = ::socket(AF_INET, type, 0), on = 1;
      ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
      ::setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
      const sockaddr_in at = address("0.0.0.0", port);
      return did_if(::bind(fd, any(at), sizeof at) == 0);
    });
  };
  const auto all = [&] {
    return bind(SOCK_STREAM, network::kRelayPort) + "; " + bind(SOCK_STREAM, network::kResolverPort) + "; " +
           bind(SOCK_DGRAM, network::kResolverPort);
  };
  CHECK(unwalled([&] {  // the control: only the port number prevents binding
          (void)base::write_kernel_file("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0");
          return all();
        }) == "did; did; did");
  CHECK(unwalled(all) == "refused EACCES; refused EACCES; refused EACCES");
  CHECK(with_doors({kNames}, [&](auto&, auto&) { return all(); }) == "refused EACCES; refused EACCES; refused EACCES");
}

TEST_CASE("connections with TCP Fast Open and from a socket bound to lo are filtered like any other connection") {
  const auto fast = [](const char* ip) {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in to = address(ip, 443);
    if (::sendto(fd, "x", 1, MSG_FASTOPEN, any(to), sizeof to) != 1) return did_if(false);
    ::shutdown(fd, SHUT_WR);
    return received(fd);
  };
  const auto bound = [](const char* ip) {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    if (::setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3) != 0) return did_if(false);
    return tcp(address(ip, 443), fd);
  };
  CHECK(with_doors({kNames}, [&](auto&, auto& sockets) {
          const Answers answers(sockets);
          std::string all;
          for (const char* ip : {"198.18.0.7", "10.0.0.1"})
            all += as(kUid, [&] { return fast(ip); }) + "; " + as(kUid, [&] { return bound(ip); }) + "; ";
          return all;
        }) == "relay for 198.18.0.7:443; relay for 198.18.0.7:443; refused ECONNREFUSED; refused ECONNREFUSED; ");
}

TEST_CASE("there is no IPv6 in a slot, and an IPv4-mapped address is filtered as IPv4") {
  const auto six = [](const char* ip, bool listens) {
    sockaddr_in6 to{};
    to.sin6_family = AF_INET6;
    to.sin6_port = htons(443);
    ::inet_pton(AF_INET6, ip, &to.sin6_addr);
    if (listens) {
      const int fd = ::socket(AF_INET6, SOCK_STREAM, 0);
      if (::bind(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0 || ::listen(fd, 1) != 0)
        return did_if(false);
    }
    return as(kUid, [&] {
      const int fd = ::socket(AF_INET6, SOCK_STREAM, 0);
      if (::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) return did_if(false);
      return listens ? "did" : received(fd);
    });
  };
  CHECK(unwalled([&] {  // the control
          (void)base::write_kernel_file("/proc/sys/net/ipv6/conf/all/disable_ipv6", "0");
          return six("::1", true);
        }) == "did");
  CHECK(unwalled([&] { return six("::1", true); }) == "refused EADDRNOTAVAIL");
  CHECK(with_doors({kNames}, [&](auto&, auto& sockets) {
          const Answers answers(sockets);
          return six("::1", false) + "; " + six("2001:db8::1", false) + "; " + six("::ffff:198.18.0.7", false) + "; " +
                 six("::ffff:10.0.0.1", false);
        }) == "refused EADDRNOTAVAIL; refused EADDRNOTAVAIL; relay for 198.18.0.7:443; refused ECONNREFUSED");
}

TEST_CASE("a refused packet is logged immediately with its headers, and the size of the unread log is bounded") {
  CHECK(with_doors({kNames}, [](auto&, auto& sockets) {
          char bytes[4096];
          const int log = sockets.refusals.get();
          if (::recv(log, bytes, sizeof bytes, 0) >= 0) return std::string("something was there");
          (void)as(kUid, [] { return tcp(address("10.11.12.13", 443)); });
          const ssize_t n = ::recv(log, bytes, sizeof bytes, 0);
          const std::string packet(bytes, n > 0 ? static_cast<std::size_t>(n) : 0);
          const std::string found =
              packet.find(std::string("\x0a\x0b\x0c\x0d", 4)) != std::string::npos ? "found" : "not found";
          (void)as(kUid, [] {
            for (int i = 0; i < 5'000; ++i) (void)udp(address("10.11.12.13", 443));
            return std::string();
          });
          std::size_t kept = 0;
          while (::recv(log, bytes, sizeof bytes, 0) > 0) ++kept;
          return found + (kept > 10 && kept < 1'000 ? ", some were kept" : ", kept " + std::to_string(kept));
        }) == "found, some were kept");
}

TEST_CASE("a refused connection leaves no entry in connection tracking") {
  const auto entries_after = [](std::uint16_t port) {
    return std::stol(with_doors({kNames}, [&](auto&, auto&) {
      as(kUid, [&] {
        for (int i = 0; i < 3'000; ++i) {
          const base::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
          const sockaddr_in to = address("198.18.0.7", port);
          (void)::connect(fd.get(), any(to), sizeof to);
        }
        return std::string();
      });
      return *base::read_file("/proc/sys/net/netfilter/nf_conntrack_count", 64);
    }));
  };
  CHECK(entries_after(443) > 1'000);  // the control: opened, and not accepted
  CHECK(entries_after(80) < 10);
}

TEST_CASE(
    "an execution without net rules reaches no relay and no resolver, even if they listen and served an earlier "
    "execution") {
  CHECK(with_doors({kNames}, [](auto& chain, auto& sockets) {
          const Answers answers(sockets);
          std::string all = as(kUid, [] { return tcp(address("198.18.0.7", 443)); }) + "; ";
          if (const Status removed = chain.remove(); !removed.ok()) return removed.error().message();
          const auto closed = firewall::install("2", kUid, firewall::Closed{});
          if (!closed.ok()) return closed.error().message();
          all += as(kUid, [] { return tcp(address("198.18.0.7", 443)); }) + "; ";
          return all + as(kUid, [] { return udp(address("127.0.0.1", 53)); });
        }) == "relay for 198.18.0.7:443; refused ECONNREFUSED; refused EPERM");
}

TEST_CASE("on a connection that outlives its execution, no more data is transferred") {
  const auto say_later = [](bool end_it) {
    return with_doors({kNames}, [&](auto& chain, auto& sockets) {
      int go[2], went[2];
      if (::pipe(go) != 0 || ::pipe(went) != 0) return std::string("no pipe");
      std::thread script([&] {  // connects, waits for a signal, writes, and lives until the next signal
        (void)as(kUid, [&] {
          const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
          const sockaddr_in to = address("198.18.0.7", 443);
          char byte = ::connect(fd, any(to), sizeof to) == 0 ? 'c' : 'n';
          (void)!::write(went[1], &byte, 1);
          (void)!::read(go[0], &byte, 1);
          (void)!::write(fd, "late", 4);
          (void)!::write(went[1], &byte, 1);
          (void)!::read(go[0], &byte, 1);
          return std::string();
        });
      });
      char byte = 0;
      (void)!::read(went[0], &byte, 1);
      const base::Fd accepted(::accept4(sockets.relay.get(), nullptr, nullptr, SOCK_CLOEXEC));
      firewall::Chain next;
      if (end_it) {
        (void)chain.remove();
        next = std::move(firewall::install("2", kUid, firewall::Closed{})).value();
      }
      (void)!::write(go[1], "g", 1);
      (void)!::read(went[0], &byte, 1);
      pollfd readable{accepted.get(), POLLIN, 0};
      const bool arrived = ::poll(&readable, 1, 200) > 0;
      (void)!::write(go[1], "g", 1);
      script.join();
      return std::string(arrived ? "arrived" : "did not arrive");
    });
  };
  CHECK(say_later(false) == "arrived");
  CHECK(say_later(true) == "did not arrive");
}

TEST_CASE(
    "a second pair of sockets for relay and resolver cannot be opened, and the next pair does not receive data that "
    "was queued for the previous pair") {
  CHECK(with_doors({kNames}, [](auto&, auto& sockets) {
          const auto second = network::open_sockets();
          if (second.ok()) return std::string("two sets");
          // A connection that is not accepted, and a query that is not read.
          (void)as(kUid, [] {
            const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
            const sockaddr_in to = address("198.18.0.7", 443);
            const sockaddr_in resolver = address("127.0.0.1", 53);
            (void)!::sendto(::socket(AF_INET, SOCK_DGRAM, 0), "?", 1, 0, any(resolver), sizeof resolver);
            return did_if(::connect(fd, any(to), sizeof to) == 0 && ::write(fd, "old", 3) == 3);
          });
          sockets = network::Sockets();
          const auto next = network::open_sockets();
          if (!next.ok()) return next.error().message();
          pollfd all[] = {{next->relay.get(), POLLIN, 0}, {next->resolver_udp.get(), POLLIN, 0}};
          return std::string(::poll(all, 2, 100) == 0 ? "quiet" : "received something");
        }) == "quiet");
}
