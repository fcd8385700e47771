#include "server/gateway/relay.h"

#include "server/gateway/accept.h"
#include "server/gateway/pump.h"

namespace band::gateway {

Relay::Relay(Services& services) : services_(services) {
  services_.cut_all = [this] {
    for (const auto& connection : open_) connection->cut();
  };
}

awaitable<void> Relay::serve(base::Fd listener) {
  Listener clients(services_.loop, std::move(listener));
  const auto most = static_cast<std::size_t>(services_.plan.config.max_connections);
  for (;;) {
    Socket client = co_await clients.next();
    if (open_.size() >= most) {
      reset(client);
      Event refused;
      refused.text = "more than " + std::to_string(most) + " connections at a time refused (gateway.limit.connections)";
      services_.teller.refused(std::move(refused));
      continue;
    }
    // Now, and not when it is dialled: what comes while it waits is kept, too.
    const Buffers buffers = open_.size() < kWithLargeBuffers ? Buffers::Large : Buffers::Small;
    if (buffers == Buffers::Small) limit_buffers(client.native_handle());
    const auto connection = std::make_shared<Connection>(services_, std::move(client), buffers);
    open_.insert(connection);
    spawn(services_.loop, serve_one(connection));
  }
}

awaitable<void> Relay::serve_one(std::shared_ptr<Connection> connection) {
  co_await connection->run();
  open_.erase(connection);
}

void Relay::tell_open() {
  for (const auto& connection : open_) connection->tell_end();
}

}  // namespace band::gateway
