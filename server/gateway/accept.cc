#include "server/gateway/accept.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

namespace band::gateway {
namespace {

constexpr int kPauseMs = 20;  // out of descriptors or memory: wait until another connection is closed

}  // namespace

Acceptor::Acceptor(asio::io_context& loop, base::Fd socket)
    : loop_(loop), socket_(loop, asio::ip::tcp::v4(), socket.release()) {
  socket_.non_blocking(true);
}

// Waits before each accept4(2): an accept4(2) that fails with EAGAIN would delay the previous connection, which has
// usually just been accepted.
awaitable<Socket> Acceptor::next() {
  for (;;) {
    co_await ready(socket_, asio::ip::tcp::acceptor::wait_read);
    base::Fd client(::accept4(socket_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (client) co_return own(loop_, std::move(client));
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
      asio::steady_timer pause(loop_, in_ms(kPauseMs));
      std::error_code stopped;
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, stopped));
    }  // any other error, such as EAGAIN: the client closed the connection before it was accepted
  }
}

bool Acceptor::waiting() {
  pollfd one{socket_.native_handle(), POLLIN, 0};
  return ::poll(&one, 1, 0) > 0;
}

void reset(Socket& socket) {
  const linger now{1, 0};
  if (socket.is_open()) (void)::setsockopt(socket.native_handle(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  std::error_code failed;
  socket.close(failed);
}

}  // namespace band::gateway
