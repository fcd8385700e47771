// The event loop: standalone Asio, one thread. Stories are coroutines; a wait that can be late has a deadline.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/udp.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <chrono>
#include <memory>

#include "server/base/fd.h"

namespace band::gateway {

using asio::awaitable;
using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;
using Socket = asio::ip::tcp::socket;

inline constexpr Deadline kNoDeadline = Deadline::max();
inline Deadline in_ms(std::int64_t ms) { return Clock::now() + std::chrono::milliseconds(ms); }

// Until `io` is ready. False: the deadline came first, or somebody has closed or cancelled `io`. A deadline cancels
// everything that waits for `io`.
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

// An accepted or connecting socket becomes Asio's.
inline Socket own(asio::io_context& loop, base::Fd fd, bool ipv6 = false) {
  Socket socket(loop);
  std::error_code failed;
  socket.assign(ipv6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4(), fd.get(), failed);
  if (!failed) fd.release();
  return socket;
}

}  // namespace band::gateway
