#include "server/gateway/pump.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <asio/post.hpp>
#include <cerrno>
#include <string_view>

#include "server/gateway/unacknowledged.h"

namespace band::gateway {
namespace {

// The capacity of a large pipe.
constexpr std::size_t kAtOnce = 256 << 10;
// Chunk size of recv(2), for bytes that are inspected: a server's part of a handshake is one or two chunks.
constexpr std::size_t kCopiedAtOnce = 4096;
// After this many chunks the pump yields to other coroutines.
constexpr int kTurns = 8;

constexpr int kSmallBytes = 128 << 10;  // the kernel doubles it, for its own overhead (socket(7))

// Detection of a dead peer: probed after 30 s of silence, then every 10 s; closed after two minutes without an answer.
// The timeout for unacknowledged data also limits how long a server may keep its window closed. This timeout is not set
// for the script: a script is on this machine and cannot disappear silently, and it may compute for minutes before it
// reads on.
constexpr int kIdleS = 30, kIntervalS = 10, kProbes = 9, kUnacknowledgedMs = 120'000;

bool again(ssize_t n) { return n < 0 && (errno == EAGAIN || errno == EINTR); }

// Writes all bytes of the pipe.
awaitable<bool> drain(const Pipe& pipe, std::size_t bytes, Socket& to) {
  while (bytes > 0) {
    const ssize_t n =
        ::splice(pipe.out.get(), nullptr, to.native_handle(), nullptr, bytes, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
    if (n > 0) {
      bytes -= static_cast<std::size_t>(n);
    } else if (!again(n) || !co_await ready(to, Socket::wait_write)) {
      co_return false;
    }
  }
  co_return true;
}

// At TCP's urgent mark splice(2) returns EAGAIN or 0; recv(2) continues after the mark.
ssize_t fill_by_copy(Socket& from, const Pipe& pipe) {
  char bytes[kCopiedAtOnce];
  const ssize_t n = ::recv(from.native_handle(), bytes, sizeof bytes, MSG_DONTWAIT);
  // Writes all bytes, because the pipe is empty.
  return n <= 0 ? n : ::write(pipe.in.get(), bytes, static_cast<std::size_t>(n));
}

ssize_t fill_pipe(Socket& from, const Pipe& pipe, bool waited) {
  const ssize_t n =
      ::splice(from.native_handle(), nullptr, pipe.in.get(), nullptr, kAtOnce, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
  return n == 0 || (again(n) && waited) ? fill_by_copy(from, pipe) : n;
}

// As recv(2). The inspected bytes are in `copied`, because a pipe would need two further system calls for them.
ssize_t inspect(Socket& from, std::string& copied, ServerBytes& server) {
  copied.resize(kCopiedAtOnce);
  const ssize_t n = ::recv(from.native_handle(), copied.data(), copied.size(), MSG_DONTWAIT);
  copied.resize(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  if (n > 0) server.feed(copied);
  return n;
}

// Moves bytes to `copied` while the server's bytes are inspected, and otherwise to `pipe`. Returns their number, 0 at
// EOF, -1 on an error.
awaitable<ssize_t> fill(Socket& from, Pipes& pipes, std::optional<Pipe>& pipe, std::string& copied, Beside beside) {
  const auto put_away = [&] {
    if (pipe) pipes.give_back(std::move(*pipe));
    pipe.reset();
    copied = std::string();
  };
  for (bool waited = false;; waited = true) {
    if (beside.room != nullptr && beside.room->full()) {
      put_away();
      if (!co_await beside.room->wait(from)) co_return -1;
    }
    ssize_t n = 0;
    if (beside.server != nullptr && beside.server->looking()) {
      n = inspect(from, copied, *beside.server);
    } else {
      if (!pipe) pipe = pipes.acquire();
      if (!pipe) co_return -1;
      n = fill_pipe(from, *pipe, waited);
    }
    if (n > 0 && beside.room != nullptr) beside.room->taken(static_cast<std::size_t>(n));
    if (!again(n)) co_return n;
    put_away();
    if (!co_await ready(from, Socket::wait_read)) co_return -1;
  }
}

// Writes what fill() has moved.
awaitable<bool> pass_on(const std::optional<Pipe>& pipe, std::string& copied, std::size_t bytes, Socket& to) {
  if (copied.empty()) co_return co_await drain(*pipe, bytes, to);
  const bool written = co_await write(to, copied, kNoDeadline);
  copied.clear();
  co_return written;
}

}  // namespace

awaitable<bool> pump(Socket& from, Socket& to, Pipes& pipes, Count count, Beside beside) {
  std::optional<Pipe> pipe;
  std::string copied;
  ssize_t n = 0;
  for (int turn = 1; (n = co_await fill(from, pipes, pipe, copied, beside)) > 0; ++turn) {
    if (beside.server != nullptr && beside.server->unexpected()) {
      if (pipe) pipes.discard(std::move(*pipe));
      co_return false;
    }
    const auto bytes = static_cast<std::size_t>(n);
    const bool passed_on = co_await pass_on(pipe, copied, bytes, to);
    if (beside.room != nullptr) beside.room->passed_on(bytes);
    if (!passed_on) {
      if (pipe) pipes.discard(std::move(*pipe));
      co_return false;
    }
    if (!count(bytes)) {
      if (pipe) pipes.give_back(std::move(*pipe));
      co_return false;
    }
    if (turn % kTurns == 0) co_await asio::post(from.get_executor(), asio::use_awaitable);
  }
  if (pipe) pipes.give_back(std::move(*pipe));
  std::error_code failed;
  if (n == 0) to.shutdown(Socket::shutdown_send, failed);
  co_return n == 0 && !failed;
}

awaitable<ssize_t> receive(Socket& from, std::string& bytes, Room& room, Deadline deadline) {
  while (co_await room.wait(from)) {
    const ssize_t n = ::recv(from.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (n >= 0) co_return n;
    if (!again(n) || !co_await ready(from, Socket::wait_read, deadline)) break;
  }
  co_return -1;
}

awaitable<ssize_t> read(Socket& from, std::string& bytes, std::size_t most, Room& room, Deadline deadline) {
  bytes.resize(most);
  const ssize_t n = co_await receive(from, bytes, room, deadline);
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  co_return n;
}

awaitable<bool> write(Socket& to, std::string_view bytes, Deadline deadline) {
  std::string kept;
  while (!bytes.empty()) {
    const ssize_t n = ::send(to.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
      continue;
    }
    if (!again(n)) co_return false;
    if (kept.empty()) bytes = kept = bytes;
    if (!co_await ready(to, Socket::wait_write, deadline)) co_return false;
  }
  co_return true;
}

void limit_buffers(int socket) {
  for (const int option : {SO_RCVBUF, SO_SNDBUF})
    (void)::setsockopt(socket, SOL_SOCKET, option, &kSmallBytes, sizeof kSmallBytes);
}

void tune(int socket, Peer peer) {
  const auto set = [&](int level, int option, int value) {
    (void)::setsockopt(socket, level, option, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_OOBINLINE, 1);  // treat urgent data (tcp(7)) as ordinary bytes
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, kIdleS);
  set(IPPROTO_TCP, TCP_KEEPINTVL, kIntervalS);
  set(IPPROTO_TCP, TCP_KEEPCNT, kProbes);
  if (peer == Peer::Server) set(IPPROTO_TCP, TCP_USER_TIMEOUT, kUnacknowledgedMs);
}

}  // namespace band::gateway
