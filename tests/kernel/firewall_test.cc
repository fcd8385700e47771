// The firewall without Landlock and seccomp: a process of the slot's uid in a namespace with a listener.
#include "server/firewall/firewall.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <functional>

#include "tests/kernel/in_child.h"

using namespace band;
using namespace band::test;

namespace {

constexpr uid_t kUid = 0x72000000, kOther = 0x72000001;

void own_network() {
  ifreq up{};
  std::strcpy(up.ifr_name, "lo");
  up.ifr_flags = IFF_UP;
  if (::unshare(CLONE_NEWNET) != 0 || ::ioctl(::socket(AF_INET, SOCK_DGRAM, 0), SIOCSIFFLAGS, &up) != 0) ::_exit(99);
}

struct Udp {
  int fd = ::socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in address{};
  explicit Udp(int type = SOCK_DGRAM) {
    if (type != SOCK_DGRAM) fd = ::socket(AF_INET, type, 0);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      ::_exit(98);
    if (type == SOCK_STREAM) ::listen(fd, 8);
  }
  bool arrives() const {
    pollfd one{fd, POLLIN, 0};
    return ::poll(&one, 1, 150) > 0;
  }
};

// Sends a packet (UDP) or connects (TCP) as `uid`.
std::string reach(const Udp& to, uid_t uid, int type = SOCK_DGRAM) {
  return in_child([&] {
    if (::setresuid(uid, uid, uid) != 0) return std::string("no uid");
    const int fd = ::socket(AF_INET, type, 0);
    const auto* address = reinterpret_cast<const sockaddr*>(&to.address);
    if (type == SOCK_STREAM) {
      ::alarm(1);  // ends the wait if packets are dropped
      return did_if(::connect(fd, address, sizeof to.address) == 0);
    }
    return did_if(::sendto(fd, "x", 1, 0, address, sizeof to.address) == 1);
  });
}

std::string refused(const Result<firewall::Counters>& counters) {
  return counters.ok() ? std::to_string(counters->refused_packets) : counters.error().message();
}

std::string result(const std::string& sent, bool arrived) {
  return sent + (arrived ? ", arrived" : ", did not arrive");
}

}  // namespace

TEST_CASE("without a firewall, a packet of the slot's uid arrives (control)") {
  CHECK(in_child([] {
          own_network();
          const Udp listener;
          const std::string sent = reach(listener, kUid);
          return result(sent, listener.arrives());
        }) == "did, arrived");
}

TEST_CASE("in a prepared network namespace, a packet that matches no chain is dropped") {
  CHECK(in_child([] {
          own_network();
          const Udp listener;
          const std::string prepared = said(firewall::prepare());
          const std::string sent = reach(listener, kUid);
          return prepared + "; " + result(sent, listener.arrives());
        }) == "did; refused EPERM, did not arrive");
}

TEST_CASE("a firewall chain refuses the packets of its uid and counts them") {
  CHECK(in_child([] {
          own_network();
          const Udp listener;
          (void)firewall::prepare();
          auto chain = firewall::install("0123456789abcdef", kUid);
          if (!chain.ok()) return chain.error().message();
          std::string sent;
          for (int i = 0; i < 3; ++i) sent = reach(listener, kUid);
          return result(sent, listener.arrives()) + ", " + refused(chain->counters());
        }) == "refused EPERM, did not arrive, 3");
}

TEST_CASE(
    "a firewall chain refuses a TCP connection immediately; in a namespace without a chain the connection is "
    "accepted") {
  const auto connect = [](bool walled) {
    return in_child([walled] {
      own_network();
      const Udp listener(SOCK_STREAM);
      if (!walled) return reach(listener, kUid, SOCK_STREAM);
      (void)firewall::prepare();
      auto chain = firewall::install("ab", kUid);
      if (!chain.ok()) return chain.error().message();
      const std::string connected = reach(listener, kUid, SOCK_STREAM);
      return connected + ", " + refused(chain->counters());
    });
  };
  CHECK(connect(false) == "did");
  CHECK(connect(true) == "refused ECONNREFUSED, 1");
}

TEST_CASE("packets of a uid without a firewall chain are dropped and not counted") {
  CHECK(in_child([] {
          own_network();
          const Udp listener;
          (void)firewall::prepare();
          auto chain = firewall::install("ab", kUid);
          if (!chain.ok()) return chain.error().message();
          const std::string sent = reach(listener, kOther);
          return result(sent, listener.arrives()) + ", " + refused(chain->counters());
        }) == "refused EPERM, did not arrive, 0");
}

TEST_CASE("packet counters that cannot be read are an error and not zero") {
  const auto read_after = [](const std::function<bool()>& act) {
    return in_child([&]() -> std::string {
      own_network();
      const Udp listener;
      (void)firewall::prepare();
      auto chain = firewall::install("ab", kUid);
      if (!chain.ok()) return chain.error().message();
      (void)reach(listener, kUid);
      return act() ? refused(chain->counters()) : "not tried";
    });
  };
  CHECK(read_after([] { return true; }) == "1");  // the control
  // A process that may not read the kernel's tables.
  CHECK(read_after([] {
          return ::setresuid(kOther, kOther, kOther) == 0;
        }).find("firewall: cannot open table filter") == 0);
  // A table without this chain.
  CHECK(read_after([] { return ::unshare(CLONE_NEWNET) == 0; }).find("BAND-ab: the chain is not in the table") !=
        std::string::npos);
}

TEST_CASE("the firewall chain of the next execution counts from zero") {
  CHECK(in_child([] {
          own_network();
          const Udp listener;
          (void)firewall::prepare();
          for (const char* id : {"1", "2"}) {
            auto chain = firewall::install(id, kUid);
            if (!chain.ok()) return chain.error().message();
            (void)reach(listener, kUid);
            if (refused(chain->counters()) != "1") return std::string("counted wrong");
            if (const Status removed = chain->remove(); !removed.ok()) return removed.error().message();
          }
          const std::string sent = reach(listener, kUid);
          return result(sent, listener.arrives());
        }) == "refused EPERM, did not arrive");
}

TEST_CASE("the destructor of firewall::Chain removes the chain") {
  CHECK(in_child([] {
          own_network();
          (void)firewall::prepare();
          { (void)firewall::install("1", kUid); }
          return firewall::install("1", kUid).ok() ? "did" : "still there";
        }) == "did");
}

TEST_CASE("a second firewall chain cannot be installed in a namespace while the first one exists") {
  CHECK(in_child([] {
          own_network();
          (void)firewall::prepare();
          auto first = firewall::install("1", kUid);
          return firewall::install("2", kUid).ok() ? std::string("did") : std::string("refused");
        }) == "refused");
}

TEST_CASE("installing a firewall chain in a namespace whose OUTPUT policy is not DROP is an error") {
  CHECK(in_child([] {
          own_network();
          auto chain = firewall::install("1", kUid);
          return chain.ok() ? std::string("did") : chain.error().message();
        }) == "firewall: the policy of the chain OUTPUT is not DROP");
}
