#include "server/gateway/relay.h"

#include <algorithm>

#include "server/gateway/accept.h"
#include "server/gateway/pump.h"

namespace band::gateway {
namespace {

constexpr auto kFirstLook = std::chrono::microseconds(200), kLastLook = std::chrono::microseconds(10'000);

}  // namespace

Relay::Relay(Services& services) : services_(services) {
  services_.cut_all = [this] {
    for (const auto& connection : open_) connection->cut();
  };
  services_.room.measure = [this] {
    std::size_t bytes = 0;
    for (const auto& connection : open_) bytes += connection->unacknowledged();
    return bytes;
  };
}

awaitable<void> Relay::serve(base::Fd listener) {
  clients_.emplace(services_.loop, std::move(listener));
  const auto most = static_cast<std::size_t>(services_.policy.config.max_connections);
  for (;;) {
    Socket client = co_await clients_->next();
    if (open_.size() >= most) {
      reset(client);
      Event refused;
      refused.text =
          "a connection refused (more than " + std::to_string(most) + " at a time: gateway.limit.connections)";
      services_.reporter.refused(std::move(refused));
      continue;
    }
    // Set here and not when the server is dialled: the kernel also buffers data while the connection waits.
    const Buffers buffers = open_.size() < kWithLargeBuffers ? Buffers::Large : Buffers::Small;
    if (buffers == Buffers::Small) limit_buffers(client.native_handle());
    const auto connection = std::make_shared<RelaySession>(services_, std::move(client), buffers);
    open_.insert(connection);
    spawn(services_.loop, serve_one(connection));
  }
}

awaitable<void> Relay::serve_one(std::shared_ptr<RelaySession> connection) {
  co_await connection->run();
  open_.erase(connection);
}

// All clients are dead, so every connection has an EOF, also a connection that is not accepted yet or waits for its
// server.
bool Relay::flushed() {
  return !(clients_ && clients_->waiting()) &&
         std::all_of(open_.begin(), open_.end(), [](const auto& connection) { return connection->delivered(); });
}

awaitable<void> Relay::flush(Deadline deadline) {
  asio::steady_timer pause(services_.loop);
  for (auto wait = kFirstLook; !flushed() && Clock::now() < deadline; wait = std::min(2 * wait, kLastLook)) {
    std::error_code stopped;
    pause.expires_at(std::min(Clock::now() + wait, deadline));
    co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, stopped));
  }
  // The server may not have read all data that it has acknowledged, and a reset could discard the unread data. Nothing
  // further is written to these connections.
  for (const auto& connection : open_)
    if (connection->delivered()) connection->end_in_order();
}

void Relay::report_open() {
  for (const auto& connection : open_) connection->report_end();
}

}  // namespace band::gateway
