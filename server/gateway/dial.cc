#include "server/gateway/dial.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "server/gateway/unacknowledged.h"

namespace band::gateway {
namespace {

constexpr std::size_t kMostTries = 8;  // an answer may have hundreds of addresses

socklen_t fill(sockaddr_storage& to, const IpAddress& address, std::uint16_t port) {
  if (!address.ipv6) {
    auto& v4 = reinterpret_cast<sockaddr_in&>(to);
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    v4.sin_addr.s_addr = htonl(address.v4_number());
    return sizeof v4;
  }
  auto& v6 = reinterpret_cast<sockaddr_in6&>(to);
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  std::memcpy(&v6.sin6_addr, address.bytes.data(), 16);
  return sizeof v6;
}

// Returns 0 or an errno.
awaitable<int> connect(Socket& socket, const IpAddress& address, std::uint16_t port, int timeout_ms) {
  sockaddr_storage to{};
  const socklen_t size = fill(to, address, port);
  if (::connect(socket.native_handle(), reinterpret_cast<const sockaddr*>(&to), size) == 0) co_return 0;
  if (errno != EINPROGRESS) co_return errno;
  // A server on this machine has usually answered already.
  pollfd answered{socket.native_handle(), POLLOUT, 0};
  if (::poll(&answered, 1, 0) <= 0) {
    if (!co_await ready(socket, Socket::wait_write, in_ms(timeout_ms))) co_return ETIMEDOUT;
  }
  int failed = 0;
  socklen_t length = sizeof failed;
  if (::getsockopt(socket.native_handle(), SOL_SOCKET, SO_ERROR, &failed, &length) != 0) co_return errno;
  co_return failed;
}

}  // namespace

awaitable<Result<Dialled>> dial(asio::io_context& loop, const std::vector<IpAddress>& addresses, std::uint16_t port,
                                int timeout_ms, Buffers buffers) {
  int failed = ENETUNREACH;
  for (std::size_t i = 0; i < std::min(addresses.size(), kMostTries); ++i) {
    const IpAddress& address = addresses[i];
    base::Fd fd(::socket(address.ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
    if (!fd) {
      failed = errno;
      continue;
    }
    if (buffers == Buffers::Small) limit_buffers(fd.get());  // before connect(2), which announces the window
    failed = bound_unacknowledged(fd.get(), buffers);
    if (failed != 0) continue;
    Socket socket = own(loop, std::move(fd), address.ipv6);
    failed = co_await connect(socket, address, port, timeout_ms);
    if (failed != 0) continue;
    tune(socket.native_handle(), Peer::Server);
    co_return Dialled{std::move(socket), address};
  }
  Error error;
  error.doing = failed == ETIMEDOUT ? "does not answer" : ::strerror(failed);
  co_return error;
}

}  // namespace band::gateway
