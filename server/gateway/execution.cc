#include "server/gateway/execution.h"

#include <poll.h>
#include <unistd.h>

#include <exception>

#include "server/gateway/pump.h"
#include "server/gateway/refused_packets.h"
#include "server/gateway/relay.h"
#include "server/gateway/resolver.h"

namespace band::gateway {
namespace {

// The engine sends nothing after the policy: the events stream becomes readable when the engine shuts down its side.
// Then the script is dead, and the engine's answer waits for the last event of this process. POLLHUP: the engine has
// closed the stream and reads no events.
awaitable<void> end_with(asio::io_context& loop, asio::posix::stream_descriptor& events, Relay& relay) {
  co_await ready(events, asio::posix::stream_descriptor::wait_read);
  pollfd engine{events.native_handle(), 0, 0};
  if (::poll(&engine, 1, 0) == 0) co_await relay.flush(in_ms(kMostFlushMs));
  loop.stop();
}

}  // namespace

Status serve_execution(Order order, int pidfd) {
  BAND_TRY(const Policy policy, read_policy(order.events.get()));
  BAND_TRY(const NetRules rules, NetRules::compile(policy.net));
  asio::io_context loop(1);
  BAND_TRY(const auto lookup, Lookup::start(loop));
  Names names(static_cast<std::size_t>(policy.config.max_names));
  asio::posix::stream_descriptor events(loop, order.events.release());
  EventReporter reporter(loop, events.native_handle());
  Services services{loop,
                    policy,
                    rules,
                    names,
                    *lookup,
                    reporter,
                    Pace(policy.config.max_connections, policy.config.connections_per_second),
                    Room(loop)};
  Resolver resolver(loop, rules, names, reporter);
  Relay relay(services);
  tune(order.relay.get(), Peer::Script);  // before the script can connect, which is after reporter.ready()
  spawn(loop, relay.serve(std::move(order.relay)));
  spawn(loop, resolver.serve_udp(std::move(order.resolver_udp)));
  spawn(loop, resolver.serve_tcp(std::move(order.resolver_tcp)));
  spawn(loop, follow_refusals(loop, std::move(order.refusals), rules, names, reporter));
  spawn(loop, end_with(loop, events, relay));
  reporter.ready(pidfd);
  try {
    loop.run();
  } catch (const std::exception& thrown) {
    return layer_error("gateway", std::string("cannot serve an execution: ") + thrown.what(), 0);
  }
  relay.report_open();
  reporter.finish();
  // The engine waits for EOF. Without this call, EOF would come only after the kernel has freed this process's memory.
  std::error_code failed;
  events.close(failed);
  ::_exit(0);  // skips destructors: the kernel closes the connections, and resets those with undelivered data
}

}  // namespace band::gateway
