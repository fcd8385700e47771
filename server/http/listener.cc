#include "server/http/listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>

#include "server/base/wiped.h"
#include "server/http/log.h"

namespace band::http {
namespace {

constexpr int kBacklog =
    4096;  // with a short queue, a flood of connections makes the kernel drop others' SYNs (retry: 1 s)
constexpr int kSendBuffer =
    200 << 10;  // how much the kernel buffers for a client that does not read; the kernel doubles it

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  std::uint16_t port() const {
    return ntohs(storage.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_port
                                               : reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
  }
  std::string host() const {
    char text[INET6_ADDRSTRLEN] = "";
    const void* raw = storage.ss_family == AF_INET6
                          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_addr)
                          : static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(&storage)->sin_addr);
    ::inet_ntop(storage.ss_family, raw, text, sizeof text);
    return text;
  }
};

Result<Address> address_of(const std::string& host, std::uint16_t port) {
  Address address;
  sockaddr_in four{};
  sockaddr_in6 six{};
  if (::inet_pton(AF_INET, host.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    std::memcpy(&address.storage, &four, address.size = sizeof four);
  } else if (::inet_pton(AF_INET6, host.c_str(), &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(port);
    std::memcpy(&address.storage, &six, address.size = sizeof six);
  } else {
    return layer_error("http", "cannot listen on '" + host + "': not an IP address", 0);
  }
  return address;
}

// For a client without a thread: sends as much as fits into the socket's buffer, then closes.
void refuse_at_once(int socket) {
  const std::string text = refusal_text(busy("too many connections"));
  (void)::send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  ::shutdown(socket, SHUT_WR);
  base::Wiped<16384> unread;
  (void)!::recv(socket, unread.bytes, sizeof unread.bytes, MSG_DONTWAIT);
}

}  // namespace

Result<Listening> listen_on(const Config& config) {
  BAND_TRY(const Address wanted, address_of(config.address, config.port));
  const std::string where = config.address + " port " + std::to_string(config.port);
  Listening result;
  result.socket = base::Fd(::socket(wanted.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto set = [&](int level, int option, int value) {
    return ::setsockopt(result.socket.get(), level, option, &value, sizeof value) == 0;
  };
  // Accepted sockets inherit the last two; setting them later would need one more system call in the seccomp filter.
  if (!result.socket || !set(SOL_SOCKET, SO_REUSEADDR, 1) || !set(IPPROTO_TCP, TCP_NODELAY, 1) ||
      !set(SOL_SOCKET, SO_SNDBUF, kSendBuffer) || ::bind(result.socket.get(), wanted.get(), wanted.size) != 0 ||
      ::listen(result.socket.get(), kBacklog) != 0)
    return layer_error(
        "http", "cannot listen on " + where, errno,
        errno == EADDRINUSE
            ? "another program uses this port; check with `band status` whether a server is already running"
            : "");
  Address bound;
  bound.size = sizeof bound.storage;
  if (::getsockname(result.socket.get(), bound.get(), &bound.size) != 0)
    return layer_error("http", "cannot read the bound address", errno);
  if (bound.host() != wanted.host() || bound.port() == 0 || (config.port != 0 && bound.port() != config.port))
    return layer_error("http", "cannot listen on " + where + ": the kernel bound " + bound.host(), 0);
  result.port = bound.port();
  return result;
}

Error Listener::accept_from(int socket) {
  for (;;) {
    pollfd one{socket, POLLIN, 0};
    if (::poll(&one, 1, -1) < 0 && errno != EINTR) return layer_error("http", "cannot poll", errno);
    Address peer;
    peer.size = sizeof peer.storage;
    base::Fd client(::accept4(socket, peer.get(), &peer.size, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!client) {
      if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK)
        return layer_error("http", "cannot accept connections", errno);
      // Out of descriptors or memory: the threads that hold them need time to release them.
      if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      continue;
    }
    start(std::move(client), peer.host() + ":" + std::to_string(peer.port()));
  }
}

void Listener::start(base::Fd socket, std::string peer) {
  auto connection = std::make_shared<Connection>(std::move(socket), std::move(peer));
  if (!connections_.enter(*connection)) return refuse_at_once(connection->socket());
  try {
    std::thread([this, connection] {
      try {
        server_.serve(*connection);
      } catch (const std::exception& error) {  // out of memory
        log_.note("connection ended: " + std::string(error.what()));
      }
      connections_.leave(*connection);
    }).detach();
  } catch (const std::system_error&) {
    refuse_at_once(connection->socket());
    connections_.leave(*connection);
  }
}

}  // namespace band::http
