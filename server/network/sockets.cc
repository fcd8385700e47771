#include "server/network/sockets.h"

#include <arpa/inet.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>

#include "server/base/netlink.h"

namespace band::network {
namespace {

constexpr const char* kLayer = "network";
constexpr int kBacklog = 1024;  // connections that wait for the relay; it takes 512 at a time
// Both ways, of each accepted connection, which inherits them; the kernel doubles it. Three segments of loopback fill
// the 256 KiB that the slot's own sockets may have, and relay and script then wait for each other at every step: with a
// mebibyte at the relay's end four times as much goes through, with more no more.
constexpr int kRelayRoom = 512 << 10;
constexpr std::uint32_t kLogBytes = 128;    // the longest IPv4 header, the longest of TCP, and room
constexpr int kMaxRefusedBytes = 64 << 10;  // that wait for the gateway

Result<base::Fd> bound(int type, std::uint16_t port) {
  const std::string doing = "bind 127.0.0.1:" + std::to_string(port);
  base::Fd fd(::socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return layer_error(kLayer, "socket", errno);
  // For what an earlier execution left in TIME_WAIT. It does not let two listen.
  const int on = 1;
  if (type == SOCK_STREAM && ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0)
    return layer_error(kLayer, doing, errno);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return layer_error(kLayer, doing, errno);
  if (type == SOCK_STREAM && ::listen(fd.get(), kBacklog) != 0) return layer_error(kLayer, doing, errno);
  return fd;
}

// By force: more than the machine lets everybody have (socket(7): wmem_max, rmem_max).
Status give_room(int listener) {
  for (const int option : {SO_SNDBUFFORCE, SO_RCVBUFFORCE})
    if (::setsockopt(listener, SOL_SOCKET, option, &kRelayRoom, sizeof kRelayRoom) != 0)
      return layer_error(kLayer, "give the relay's connections room", errno);
  return done();
}

Status configure(int socket, std::uint16_t attribute, std::string value) {
  nfgenmsg body{AF_UNSPEC, NFNETLINK_V0, htons(kRefusalGroup)};
  Status status = base::netlink_ask(
      socket, {NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_CONFIG, 0, base::bytes_of(body), {{attribute, std::move(value)}}},
      kLayer, "listen for refused packets");
  if (!status.ok()) status.error().hint = "the kernel needs nfnetlink_log (modprobe it, or build it in)";
  return status;
}

Result<base::Fd> refusals() {
  base::Fd fd(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_NETFILTER));
  if (!fd) return layer_error(kLayer, "open nfnetlink", errno, "the kernel needs nfnetlink (modprobe it)");
  const int on = 1, room = kMaxRefusedBytes / 2;  // the kernel doubles it
  if (::setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUF, &room, sizeof room) != 0 ||
      ::setsockopt(fd.get(), SOL_NETLINK, NETLINK_NO_ENOBUFS, &on, sizeof on) != 0)
    return layer_error(kLayer, "bound the refused packets that wait", errno);
  BAND_CHECK(configure(fd.get(), NFULA_CFG_CMD, base::bytes_of(nfulnl_msg_config_cmd{NFULNL_CFG_CMD_BIND})));
  BAND_CHECK(configure(fd.get(), NFULA_CFG_MODE,
                       base::bytes_of(nfulnl_msg_config_mode{htonl(kLogBytes), NFULNL_COPY_PACKET, 0})));
  // One packet a message: nothing is held back to be told with more.
  BAND_CHECK(configure(fd.get(), NFULA_CFG_QTHRESH, base::bytes_of(std::uint32_t{htonl(1)})));
  return fd;
}

}  // namespace

Result<Sockets> open_sockets() {
  Sockets sockets;
  BAND_TRY(sockets.relay, bound(SOCK_STREAM, kRelayPort));
  BAND_CHECK(give_room(sockets.relay.get()));
  BAND_TRY(sockets.resolver_udp, bound(SOCK_DGRAM, kResolverPort));
  BAND_TRY(sockets.resolver_tcp, bound(SOCK_STREAM, kResolverPort));
  BAND_TRY(sockets.refusals, refusals());
  return sockets;
}

}  // namespace band::network
