#include "server/gateway/outward.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "server/gateway/proxy.h"
#include "server/gateway/pump.h"

namespace band::gateway {
namespace {

using Reached = std::variant<Dialled, BadAddress, Unreachable>;

// A proxy answers only after it has connected.
constexpr int kProxyMs = 30'000;

const Resolve* operators_word(const Services& services, const Destination& destination) {
  const auto& words = services.policy.config.resolve;
  const auto found =
      std::find_if(words.begin(), words.end(), [&](const Resolve& word) { return word.name == destination.host.name; });
  return found == words.end() ? nullptr : &*found;
}

awaitable<Reached> dial_out(Services& services, std::vector<IpAddress> addresses, std::uint16_t port, Buffers buffers) {
  auto dialled = co_await dial(services.loop, addresses, port, services.policy.config.connect_timeout_ms, buffers);
  if (!dialled.ok()) co_return Unreachable{dialled.error().doing};
  co_return std::move(*dialled);
}

// Returns "" when the proxy has connected, otherwise the reason why not. Reads only the head of the proxy's answer
// (with MSG_PEEK): the bytes of the server, which follow the head, stay in the socket.
awaitable<std::string> ask_proxy(Socket& proxy, const Destination& destination) {
  const Deadline deadline = in_ms(kProxyMs);
  if (!co_await write(proxy, connect_request(destination.host.text(), destination.port), deadline))
    co_return "the upstream proxy has closed the connection";
  ProxyAnswer answer;
  char buffer[4096];
  for (;;) {
    const ssize_t n = ::recv(proxy.native_handle(), buffer, sizeof buffer, MSG_DONTWAIT | MSG_PEEK);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
      if (!co_await ready(proxy, Socket::wait_read, deadline)) co_return "the upstream proxy does not answer";
      continue;
    }
    if (n <= 0) co_return "the upstream proxy has closed the connection";
    const auto verdict = answer.feed({buffer, static_cast<std::size_t>(n)});
    const std::size_t behind = verdict == ProxyAnswer::Verdict::Ok ? answer.rest().size() : 0;
    (void)::recv(proxy.native_handle(), buffer, static_cast<std::size_t>(n) - behind, MSG_DONTWAIT);
    if (verdict == ProxyAnswer::Verdict::Ok) co_return "";
    if (verdict == ProxyAnswer::Verdict::Refused) co_return answer.why();
  }
}

awaitable<Reached> by_proxy(Services& services, const Destination& destination, Buffers buffers) {
  const auto& [host, port] = *services.policy.config.upstream_proxy;
  std::vector<IpAddress> addresses;
  if (const auto literal = IpAddress::parse(host)) {
    addresses.push_back(*literal);
  } else {
    auto found = co_await services.lookup.addresses_of(host);
    if (!found.ok()) co_return Unreachable{"the upstream proxy " + host + ": " + found.error().doing};
    addresses = std::move(*found);
  }
  Reached reached = co_await dial_out(services, std::move(addresses), port, buffers);
  if (auto* unreachable = std::get_if<Unreachable>(&reached))
    unreachable->why = "the upstream proxy " + host + ": " + unreachable->why;
  if (auto* dialled = std::get_if<Dialled>(&reached))
    if (std::string why = co_await ask_proxy(dialled->socket, destination); !why.empty())
      co_return Unreachable{std::move(why)};
  co_return reached;
}

}  // namespace

awaitable<Reached> reach(Services& services, const Destination& destination, Buffers buffers) {
  const NetHost& host = destination.host;
  const bool by_name = !host.address.has_value();
  const auto& proxy = services.policy.config.upstream_proxy;
  std::vector<IpAddress> addresses;
  if (const Resolve* word = operators_word(services, destination); word != nullptr && !host.name.empty()) {
    const std::uint16_t port = word->port.value_or(destination.port);
    if (auto closed = closed_address(word->address, host.text(), port, services.rules, services.policy))
      co_return std::move(*closed);
    addresses.push_back(word->address);
    co_return co_await dial_out(services, std::move(addresses), port, buffers);
  }
  if (!by_name) {
    addresses.push_back(*host.address);
  } else if (!proxy) {
    auto found = co_await services.lookup.addresses_of(host.name);
    if (!found.ok()) co_return Unreachable{found.error().doing};
    addresses = std::move(*found);
  }
  if (auto bad = bad_address(addresses, host.text(), destination.port, services.rules, services.policy))
    co_return std::move(*bad);
  // localhost is this machine: a proxy is never used for it.
  if (proxy && host.name != "localhost") co_return co_await by_proxy(services, destination, buffers);
  co_return co_await dial_out(services, std::move(addresses), destination.port, buffers);
}

}  // namespace band::gateway
