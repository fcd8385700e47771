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
constexpr int kBacklog = 1024;  // connections waiting to be accepted; the relay has at most 512 open
// Buffer size in each direction of an accepted connection, which inherits the size from the listening socket; the
// kernel doubles the size. The slot's sockets are limited to 256 KiB. The kernel counts more memory than the payload,
// so three segments of loopback with a payload of 64 KiB each already fill them, and relay and script then wait for
// each other at every step. With 1 MiB at the relay's end throughput is four times as high; larger buffers do not
// increase it.
constexpr int kRelayRoom = 512 << 10;
constexpr std::uint32_t kLogBytes = 128;    // the longest IPv4 header, the longest TCP header, and spare
constexpr int kMaxRefusedBytes = 64 << 10;  // limit of packets that are queued for the gateway

Result<base::Fd> bound(int type, std::uint16_t port) {
  const std::string doing = "cannot bind 127.0.0.1:" + std::to_string(port);
  base::Fd fd(::socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return layer_error(kLayer, "cannot make a socket", errno);
  // Allows binding despite an earlier execution's connections in TIME_WAIT. It does not allow two listeners.
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

// The FORCE options exceed the machine's limits for unprivileged processes (socket(7): wmem_max, rmem_max).
Status give_room(int listener) {
  for (const int option : {SO_SNDBUFFORCE, SO_RCVBUFFORCE})
    if (::setsockopt(listener, SOL_SOCKET, option, &kRelayRoom, sizeof kRelayRoom) != 0)
      return layer_error(kLayer, "cannot set the buffer sizes of the relay's connections", errno);
  return done();
}

Status configure(int socket, std::uint16_t attribute, std::string value) {
  nfgenmsg body{AF_UNSPEC, NFNETLINK_V0, htons(kRefusalGroup)};
  Status status = base::netlink_ask(
      socket, {NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_CONFIG, 0, base::bytes_of(body), {{attribute, std::move(value)}}},
      kLayer, "cannot listen for refused packets");
  if (!status.ok()) status.error().hint = "the kernel needs nfnetlink_log (modprobe it, or build it in)";
  return status;
}

Result<base::Fd> refusals() {
  base::Fd fd(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_NETFILTER));
  if (!fd) return layer_error(kLayer, "cannot open nfnetlink", errno, "the kernel needs nfnetlink (modprobe it)");
  const int on = 1, room = kMaxRefusedBytes / 2;  // the kernel doubles it
  if (::setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUF, &room, sizeof room) != 0 ||
      ::setsockopt(fd.get(), SOL_NETLINK, NETLINK_NO_ENOBUFS, &on, sizeof on) != 0)
    return layer_error(kLayer, "cannot limit the queue of refused packets", errno);
  BAND_CHECK(configure(fd.get(), NFULA_CFG_CMD, base::bytes_of(nfulnl_msg_config_cmd{NFULNL_CFG_CMD_BIND})));
  BAND_CHECK(configure(fd.get(), NFULA_CFG_MODE,
                       base::bytes_of(nfulnl_msg_config_mode{htonl(kLogBytes), NFULNL_COPY_PACKET, 0})));
  // One packet per message: the kernel then does not delay a packet to batch it with other packets.
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
