#include "server/gateway/unacknowledged.h"

#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <utility>

namespace band::gateway {
namespace {

// Limits of unsent bytes per connection (TCP_NOTSENT_LOWAT, tcp(7)); sent and unacknowledged bytes are not included.
// 512 connections to servers that read nothing need some 16 MiB, the bound of one execution.
constexpr int kUnsentLarge = 128 << 10, kUnsentSmall = 32 << 10;

// The overhead that is assumed for each call of taken(). The kernel needs some 2 KiB per segment, even for a segment of
// one byte, and the 64 pieces of a pipe make at least four segments.
constexpr std::size_t kForEachTurn = 16 << 10;
constexpr int kLookMs = 10;

}  // namespace

int bound_unacknowledged(int socket, Buffers buffers) {
  const linger reset{1, 0};
  const int unsent = buffers == Buffers::Small ? kUnsentSmall : kUnsentLarge;
  if (::setsockopt(socket, SOL_SOCKET, SO_LINGER, &reset, sizeof reset) != 0 ||
      ::setsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent) != 0)
    return errno;
  return 0;
}

std::size_t unacknowledged(Socket& server) {
  std::uint32_t memory[SK_MEMINFO_VARS] = {};
  socklen_t size = sizeof memory;
  if (!server.is_open()) return 0;
  if (::getsockopt(server.native_handle(), SOL_SOCKET, SO_MEMINFO, memory, &size) != 0) return kMostUnacknowledged;
  return memory[SK_MEMINFO_WMEM_QUEUED];  // sent data is counted until it is acknowledged
}

void end_in_order(Socket& server) {
  const linger usual{0, 0};
  if (server.is_open()) (void)::setsockopt(server.native_handle(), SOL_SOCKET, SO_LINGER, &usual, sizeof usual);
}

bool Room::full() {
  if (watched_) return true;
  if (at_most_ >= kMostUnacknowledged) look();
  return at_most_ >= kMostUnacknowledged;
}

awaitable<bool> Room::wait(const Socket& client) {
  while (client.is_open() && full()) {
    // One coroutine measures for all waiting ones: measuring hundreds of connections takes hundreds of system calls.
    if (!std::exchange(watched_, true)) spawn(loop_, watch());
    std::error_code stopped;
    co_await changed_.async_wait(asio::redirect_error(asio::use_awaitable, stopped));
  }
  co_return client.is_open();
}

void Room::taken(std::size_t bytes) {
  at_most_ += bytes + kForEachTurn;
  under_way_ += bytes + kForEachTurn;
}

void Room::passed_on(std::size_t bytes) { under_way_ -= bytes + kForEachTurn; }

void Room::look() { at_most_ = measure() + under_way_; }

awaitable<void> Room::watch() {
  asio::steady_timer pause(loop_);
  do {
    std::error_code stopped;
    pause.expires_after(std::chrono::milliseconds(kLookMs));
    co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, stopped));
    look();
  } while (at_most_ >= kMostUnacknowledged);
  watched_ = false;
  changed_.cancel();
}

}  // namespace band::gateway
