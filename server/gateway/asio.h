// The event loop: standalone Asio, one thread. Stories are coroutines; a wait that can be late has a deadline.
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

// Until `io` is ready. False: the deadline came first, or somebody has closed or cancelled `io`. A deadline cancels
// everything that waits for `io`. Asio watches for edges, but asks the kernel anew with each wait (EPOLL_CTL_MOD, as
// async_wait tries nothing itself): what was ready before, or is left after a short read, is told again.
template <class Io>
awaitable<bool> ready(Io& io, typename Io::wait_type what, Deadline deadline = kNoDeadline) {
  std::error_code failed;
  if (deadline == kNoDeadline) {
    co_await io.async_wait(what, asio::redirect_error(asio::use_awaitable, failed));
    co_return !failed;
  }
  // The timer's handler can be on its way already when the wait ends.
  const auto waiting = std::make_shared<bool>(true);
  asio::steady_timer timer(io.get_executor(), deadline);
  timer.async_wait([&io, waiting](const std::error_code& stopped) {
    if (!stopped && *waiting) io.cancel();
  });
  co_await io.async_wait(what, asio::redirect_error(asio::use_awaitable, failed));
  *waiting = false;
  co_return !failed;
}

// A story for which nobody waits. What it throws comes out of the loop's run() and ends the execution: a listener that
// stops or a connection that stays open for ever would be seen by nobody.
template <class Story>
void spawn(asio::io_context& loop, Story&& story) {
  asio::co_spawn(loop, std::forward<Story>(story), [](const std::exception_ptr& failed) {
    if (failed) std::rethrow_exception(failed);
  });
}

// The others' turn: for what would never wait while somebody keeps it busy. Each `kTurnsInARow` times is often enough.
inline constexpr int kTurnsInARow = 64;
inline auto others_first(asio::io_context& loop) { return asio::post(loop, asio::use_awaitable); }

// An accepted or connecting socket becomes Asio's.
inline Socket own(asio::io_context& loop, base::Fd fd, bool ipv6 = false) {
  Socket socket(loop);
  std::error_code failed;
  socket.assign(ipv6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4(), fd.get(), failed);
  if (!failed) fd.release();
  return socket;
}

}  // namespace band::gateway
