// The gateway's event loop: standalone Asio, one thread. Coroutines serve the connections.
// A trap: in the condition of a loop, GCC 12 evaluates a co_await after &&, || or ? always. tools/check reports it.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/udp.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/post.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <utility>

#include "server/base/fd.h"

namespace band::gateway {

using asio::awaitable;
using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;
using Socket = asio::ip::tcp::socket;

inline constexpr Deadline kNoDeadline = Deadline::max();
inline Deadline in_ms(std::int64_t ms) { return Clock::now() + std::chrono::milliseconds(ms); }

// Waits until `io` is ready for `what` (reading or writing), and then returns true. Returns false at the deadline, or
// when `io` was closed or cancelled during the wait. At the deadline, ready() cancels all waits on `io`. If `io` was
// ready before the wait began, the wait ends immediately: Asio uses edge-triggered epoll, but registers `io` again for
// each wait (EPOLL_CTL_MOD), and epoll then reports `io` again.
template <class Io>
awaitable<bool> ready(Io& io, typename Io::wait_type what, Deadline deadline = kNoDeadline) {
  std::error_code failed;
  if (deadline == kNoDeadline) {
    co_await io.async_wait(what, asio::redirect_error(asio::use_awaitable, failed));
    co_return !failed;
  }
  // The timer's handler can already be queued when the wait on `io` ends; it must then not cancel a later wait on `io`.
  const auto waiting = std::make_shared<bool>(true);
  asio::steady_timer timer(io.get_executor(), deadline);
  timer.async_wait([&io, waiting](const std::error_code& stopped) {
    if (!stopped && *waiting) io.cancel();
  });
  co_await io.async_wait(what, asio::redirect_error(asio::use_awaitable, failed));
  *waiting = false;
  co_return !failed;
}

// Starts a coroutine that no caller waits for. If the coroutine throws an exception, loop.run() throws it again;
// serve_execution() (execution.h) then returns an error, the process exits, and the execution fails. If exceptions were
// ignored, a listener could stop, or a connection could stay open forever, and nothing would detect it.
template <class Story>
void spawn(asio::io_context& loop, Story&& story) {
  asio::co_spawn(loop, std::forward<Story>(story), [](const std::exception_ptr& failed) {
    if (failed) std::rethrow_exception(failed);
  });
}

// Suspends the calling coroutine until the other coroutines that are ready have run: `co_await others_first(loop)`. A
// loop that does not suspend while input is available must call it once in `kTurnsInARow` iterations.
inline constexpr int kTurnsInARow = 64;
inline auto others_first(asio::io_context& loop) { return asio::post(loop, asio::use_awaitable); }

// Returns an Asio socket that owns the TCP socket `fd`. `ipv6`: the address family of `fd` is AF_INET6. On an error,
// closes `fd` and returns a socket that is not open.
inline Socket own(asio::io_context& loop, base::Fd fd, bool ipv6 = false) {
  Socket socket(loop);
  std::error_code failed;
  socket.assign(ipv6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4(), fd.get(), failed);
  if (!failed) fd.release();
  return socket;
}

}  // namespace band::gateway
