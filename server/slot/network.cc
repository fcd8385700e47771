#include "server/slot/network.h"

#include <arpa/inet.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "server/base/fd.h"
#include "server/base/io.h"
#include "server/base/netlink.h"
#include "server/layout/made_up.h"

namespace band::slot {
namespace {

constexpr const char* kLayer = "slot";
constexpr int kLoopback = 1;  // the first device of every network namespace

Status loopback_up() {
  base::Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return layer_error(kLayer, "cannot make a socket", errno);
  ifreq request{};
  std::strncpy(request.ifr_name, "lo", IFNAMSIZ - 1);
  request.ifr_flags = IFF_UP;
  if (::ioctl(socket.get(), SIOCSIFFLAGS, &request) != 0) return layer_error(kLayer, "cannot bring up lo", errno);
  return done();
}

// IPv6 is disabled in a slot: one protocol less to filter. /proc/sys/net shows the namespace of the thread that opens
// it.
Status ipv6_off() {
  const char* file = "/proc/sys/net/ipv6/conf/all/disable_ipv6";
  if (::access(file, F_OK) != 0) return done();  // a kernel without IPv6
  return base::write_kernel_file(file, "1");
}

// Relay and resolver listen on these ports: a process that could bind them could impersonate relay and resolver.
Status ports_are_privileged() {
  const char* file = "/proc/sys/net/ipv4/ip_unprivileged_port_start";
  BAND_CHECK(base::write_kernel_file(file, "1024"));
  BAND_TRY(const std::string start, base::read_file(file, 64));
  if (start != "1024\n") return layer_error(kLayer, std::string(file) + " is not 1024", 0);
  return done();
}

// Limits the socket buffers in the kernel: they are charged to no memory cgroup of v1. The relay's end has its own
// limit (server/network/sockets.cc); with it, larger buffers at the script's end would not increase the throughput.
Status small_buffers() {
  BAND_CHECK(base::write_kernel_file("/proc/sys/net/ipv4/tcp_rmem", "4096 131072 262144"));
  return base::write_kernel_file("/proc/sys/net/ipv4/tcp_wmem", "4096 16384 262144");
}

// Loopback loses no packets and needs no pacing: reno, which every kernel has (tcp(7)), has 1.5 times the throughput of
// bbr, which the machine may have set for its own networks. Accepted sockets inherit it from listening ones.
Status without_pacing() { return base::write_kernel_file("/proc/sys/net/ipv4/tcp_congestion_control", "reno"); }

// rtnetlink(7)
Status ask(const base::NetlinkRequest& request, const std::string& doing) {
  const base::Fd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (!socket) return layer_error(kLayer, "cannot open an rtnetlink socket", errno);
  return base::netlink_ask(socket.get(), request, kLayer, doing);
}

// `ip address add 198.19.255.254/32 dev lo`: getaddrinfo(3) with AI_ADDRCONFIG returns no IPv4 addresses on a machine
// whose only address is 127.0.0.1.
Status own_address() {
  ifaddrmsg body{};
  body.ifa_family = AF_INET;
  body.ifa_prefixlen = 32;
  body.ifa_index = kLoopback;
  return ask({RTM_NEWADDR,
              NLM_F_CREATE | NLM_F_EXCL,
              base::bytes_of(body),
              {{IFA_LOCAL, base::bytes_of(std::uint32_t{htonl(layout::kSlotAddress)})}}},
             "cannot add an address to lo");
}

// `ip route add local default dev lo`
Status everything_is_local() {
  rtmsg body{};
  body.rtm_family = AF_INET;
  body.rtm_table = RT_TABLE_LOCAL;
  body.rtm_protocol = RTPROT_STATIC;
  body.rtm_scope = RT_SCOPE_HOST;
  body.rtm_type = RTN_LOCAL;
  return ask(
      {RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, base::bytes_of(body), {{RTA_OIF, base::bytes_of(int{kLoopback})}}},
      "cannot add the route that sends all addresses to lo");
}

}  // namespace

Status prepare_network() {
  BAND_CHECK(ipv6_off());
  BAND_CHECK(ports_are_privileged());
  BAND_CHECK(small_buffers());
  BAND_CHECK(without_pacing());
  BAND_CHECK(loopback_up());
  BAND_CHECK(own_address());
  return everything_is_local();
}

Status renew_network() {
  if (::unshare(CLONE_NEWNET) != 0) return layer_error(kLayer, "cannot make a network namespace", errno);
  return prepare_network();
}

}  // namespace band::slot
