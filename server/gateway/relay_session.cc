#include "server/gateway/relay_session.h"

#include <linux/netfilter_ipv4.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "server/gateway/accept.h"
#include "server/gateway/handshake.h"
#include "server/gateway/head_watch.h"
#include "server/gateway/pump.h"

namespace band::gateway {
namespace {

// Timeout for sending a refusal: one segment, to a process of this machine.
constexpr int kRefusalMs = 1'000;
// Timeout for forwarding the first bytes, at most 64 KiB.
constexpr int kFirstWriteMs = 60'000;
constexpr std::size_t kReadAtOnce = 16 << 10;
// The size of the buffer that all connections share. While a connection waits, it keeps a copy of its part.
constexpr std::size_t kReceiveAtOnce = 64 << 10;
// Poll interval for the acknowledgement of the last bytes, which usually takes one round trip.
constexpr auto kFirstLook = std::chrono::milliseconds(1), kLastLook = std::chrono::milliseconds(20);

IpAddress address_of(const sockaddr_in& at) { return IpAddress::v4(ntohl(at.sin_addr.s_addr)); }

// Returns the destination to which the client connected, before the firewall redirected the connection. nullopt: the
// client connected to the relay's own address.
std::optional<sockaddr_in> original_destination(Socket& client) {
  sockaddr_in original{}, here{};
  socklen_t size = sizeof original, own_size = sizeof here;
  if (::getsockopt(client.native_handle(), IPPROTO_IP, SO_ORIGINAL_DST, &original, &size) != 0) return std::nullopt;
  if (::getsockname(client.native_handle(), reinterpret_cast<sockaddr*>(&here), &own_size) != 0) return std::nullopt;
  if (original.sin_addr.s_addr == here.sin_addr.s_addr && original.sin_port == here.sin_port) return std::nullopt;
  return original;
}

}  // namespace

RelaySession::RelaySession(Services& services, Socket client, Buffers buffers)
    : services_(services),
      client_(std::move(client)),
      buffers_(buffers),
      server_(services.loop),
      server_bytes_(services.loop),
      began_(Clock::now()),
      down_ended_(services.loop, kNoDeadline) {}

awaitable<void> RelaySession::run() {
  if (!find_destination() || !judge()) {
    cut();
    co_return;
  }
  std::optional<FirstBytes> first;
  if (!destination_.other_protocols) {
    auto outcome = co_await read_first_bytes(client_, destination_, nullptr);
    if (auto* refusal = std::get_if<Refusal>(&outcome)) co_return co_await refuse(std::move(*refusal));
    if (std::holds_alternative<ClosedEarly>(outcome)) {
      services_.reporter.failed(
          event(destination_.text() + " failed: the client closed the connection before it sent a request"));
      cut();
      co_return;
    }
    first = std::get<FirstBytes>(std::move(outcome));
  }
  if (!co_await wait_for_pace()) {
    cut();
    co_return;
  }
  auto reached = co_await reach(services_, destination_, buffers_);
  const Kind kind = first ? first->kind : Kind::Other;
  if (auto* bad = std::get_if<BadAddress>(&reached)) {
    Refusal refusal{destination_.text() + " refused (" + bad->why + ")", ""};
    refusal.answer = answer_in(kind, refusal.text);
    co_return co_await refuse(std::move(refusal), bad->section, bad->rule);
  }
  if (const auto* unreachable = std::get_if<Unreachable>(&reached)) {
    services_.reporter.failed(event(destination_.text() + " failed: " + unreachable->why));
    cut();
    co_return;
  }
  auto& dialled = std::get<Dialled>(reached);
  server_ = std::move(dialled.socket);
  address_ = dialled.address.text();
  if (!within_bytes()) {  // the limit was reached after judge()
    cut();
    co_return;
  }
  relayed_ = true;
  co_await relay(std::move(first));
  report_end();
}

// A made-up address stands for a name; any other address is the destination itself.
bool RelaySession::find_destination() {
  const auto original = original_destination(client_);
  Event refused;
  if (!original) {
    refused.text = "a connection to the gateway itself refused";
    services_.reporter.refused(std::move(refused));
    return false;
  }
  const IpAddress address = address_of(*original);
  destination_.port = ntohs(original->sin_port);
  if (!Names::made_up(address)) {
    destination_.host = NetHost::literal(address);
    return true;
  }
  const std::string* name = services_.names.name_of(address);
  if (name != nullptr) {
    destination_.host = NetHost::named(*name);
    return true;
  }
  refused.text = address.text_with_port(destination_.port) +
                 " refused (the sandbox's resolver has not assigned this address to any name)";
  refused.host = address.text();
  refused.port = destination_.port;
  services_.reporter.refused(std::move(refused));
  return false;
}

bool RelaySession::judge() {
  verdict_ = services_.rules.connect(destination_.host, destination_.port);
  destination_.other_protocols = verdict_.names_port;
  if (verdict_.allowed) return within_bytes();  // without this, each new connection could send its first bytes
  Event refused = event(destination_.text() + " refused (" + verdict_.why + ")");
  refused.missing_rule = verdict_.missing_rule;
  services_.reporter.refused(std::move(refused));
  return false;
}

// Called after the checks of the rules and of the first bytes. The lookup of the name and the check of its addresses
// follow after the wait. Returns false when all connections were cut during the wait.
awaitable<bool> RelaySession::wait_for_pace() {
  const Deadline turn = services_.pace.earliest_start(Clock::now());
  if (turn > Clock::now()) {
    asio::steady_timer wait(services_.loop, turn);
    std::error_code stopped;
    co_await wait.async_wait(asio::redirect_error(asio::use_awaitable, stopped));
  }
  co_return client_.is_open();
}

// The server's data is forwarded immediately; the client's data is forwarded only after its protocol was recognised.
awaitable<void> RelaySession::relay(std::optional<FirstBytes> first) {
  spawn(services_.loop, [self = shared_from_this()] { return self->downwards(); });
  up_ended_ = co_await upwards(std::move(first));
  if (!up_ended_) cut();
  std::error_code stopped;
  if (down_ended_.expiry() == kNoDeadline)
    co_await down_ended_.async_wait(asio::redirect_error(asio::use_awaitable, stopped));
  if (server_bytes_.unexpected())
    services_.reporter.refused(event(destination_.text() + " refused (" + server_bytes_.why() + ")"));
  std::error_code failed;
  client_.close(failed);
  co_await acknowledged();
  end_in_order();
  server_.close(failed);
}

awaitable<void> RelaySession::downwards() {
  const auto counted = [this](auto n) { return count(down_, n); };
  const bool ended = co_await pump(server_, client_, services_.pipes, counted, {&server_bytes_, nullptr});
  server_bytes_.end();
  if (!ended) cut();
  down_ended_.expires_at(Deadline::min());  // wakes relay() if it waits; otherwise relay() checks the expiry
}

// Both sides have sent EOF, but the server may not have read everything. A reset would discard the unread data; a close
// without a reset would leave the unacknowledged data in the kernel. TCP_USER_TIMEOUT (tune()) bounds the wait.
awaitable<void> RelaySession::acknowledged() {
  asio::steady_timer pause(services_.loop);
  for (auto wait = kFirstLook; unacknowledged() > 0; wait = std::min(2 * wait, kLastLook)) {
    std::error_code stopped;
    pause.expires_after(wait);
    co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, stopped));
  }
}

awaitable<bool> RelaySession::upwards(std::optional<FirstBytes> first) {
  if (!first) {
    auto outcome = co_await read_first_bytes(client_, destination_, &server_bytes_);
    if (auto* refusal = std::get_if<Refusal>(&outcome)) {
      if (down_ > 0) refusal->answer.clear();  // the server has sent data: nothing may be appended to it
      co_await refuse(std::move(*refusal));
      co_return false;
    }
    if (std::holds_alternative<ClosedEarly>(outcome)) co_return false;
    first = std::get<FirstBytes>(std::move(outcome));
  }
  // The first bytes, at most 64 KiB, stay in this process while waiting.
  if (!co_await services_.room.wait(client_)) co_return false;
  std::string bytes = std::exchange(first->bytes, {});
  if (first->kind == Kind::Other && !bytes.empty()) {
    server_bytes_.expect_other();
    if (server_bytes_.unexpected() || !co_await watch(std::move(bytes))) co_return false;
  } else {
    if (first->kind == Kind::Tls) server_bytes_.choice().begin();  // before the server can have received the hello
    if (!co_await send_up(bytes, in_ms(kFirstWriteMs))) co_return false;
    bytes = std::string();  // frees the memory: the connection may last for hours
  }
  if (first->body) co_return co_await request_body(*first->body, std::move(first->rest));
  if (first->kind == Kind::Tls && !co_await handshake(std::move(first->rest))) co_return false;
  first.reset();
  const auto counted = [this](auto n) { return count(up_, n); };
  co_return co_await pump(client_, server_, services_.pipes, counted, {nullptr, &services_.room});
}

// Forwards `bytes`, and then the client's further bytes, until the server has sent data of another protocol, or the
// bytes cannot be the head of an HTTP request. The end of such a head is not forwarded before the server has sent such
// data. Returns false when the connection has ended.
awaitable<bool> RelaySession::watch(std::string bytes) {
  HeadWatch head;
  std::size_t most = head.feed(bytes);
  if (!co_await send_up(std::string_view(bytes).substr(0, most), in_ms(kFirstWriteMs))) co_return false;
  bytes = bytes.substr(most);
  while (head.state() == HeadWatch::State::Watching && !server_bytes_.sent_other()) {
    services_.received.resize(kReceiveAtOnce);
    const ssize_t n = co_await receive(client_, services_.received, services_.room);
    if (n <= 0) co_return n == 0;
    const auto next = std::string_view(services_.received).substr(0, static_cast<std::size_t>(n));
    most = head.feed(next);
    bytes = next.substr(most);
    if (!co_await send_up(next.substr(0, most))) co_return false;
    co_await others_first(services_.loop);
  }
  if (head.state() == HeadWatch::State::Found && !co_await server_bytes_.wait_for_other(in_ms(kServerFirstMs))) {
    Refusal refusal{destination_.text() + " refused (the first bytes can be the head of an HTTP request, and the " +
                        "server has not sent data before its end)",
                    ""};
    refusal.answer = answer_in(Kind::Http, refusal.text, 400);
    co_await refuse(std::move(refusal));
    co_return false;
  }
  co_return co_await send_up(bytes);
}

// Until the server has sent its ServerHello, it can request another ClientHello, which is checked like the first one.
// Returns false when the connection has ended.
awaitable<bool> RelaySession::handshake(std::string bytes) {
  // A server requests at most one further ClientHello (RFC 8446, 4.1.4). More are refused, because each check needs
  // time.
  LaterHellos hellos([this, again = false](const ClientHello& hello) mutable {
    if (std::exchange(again, true)) return "a third ClientHello on a connection to " + destination_.text() + " refused";
    return objection(hello, destination_);
  });
  Deadline deadline = kNoDeadline;
  std::string refused;
  while (!server_bytes_.choice().made()) {
    refused = hellos.feed(bytes);
    if (!refused.empty()) break;
    const std::string judged = hellos.take_judged();
    if (!co_await send_up(judged)) co_return false;
    deadline = hellos.within_hello() ? std::min(deadline, in_ms(kBegunMs)) : kNoDeadline;
    const ssize_t n = co_await read(client_, bytes, kReadAtOnce, services_.room, deadline);
    const bool late = n < 0 && Clock::now() >= deadline;
    if (late || (n == 0 && hellos.within_hello())) refused = unfinished(destination_, n == 0);
    if (n < 0 && !late) co_return false;
    if (n <= 0) break;
    co_await others_first(services_.loop);
  }
  if (!refused.empty()) {
    Refusal refusal{std::move(refused), ""};
    co_await refuse(std::move(refusal));
    co_return false;
  }
  const std::string left = hellos.release() + bytes;
  co_return co_await send_up(left);
}

awaitable<bool> RelaySession::send_up(std::string_view bytes, Deadline deadline) {
  services_.room.taken(bytes.size());
  const bool written = co_await write(server_, bytes, deadline);
  services_.room.passed_on(bytes.size());
  co_return written&& count(up_, bytes.size());
}

// Forwards exactly one body and nothing after it: a second request could name another host.
awaitable<bool> RelaySession::request_body(HttpBody body, std::string rest) {
  for (;;) {
    auto taken = body.feed(rest);
    // The second feed() returns the error for the remaining bytes.
    if (taken.ok() && *taken < rest.size()) taken = body.feed(std::string_view(rest).substr(*taken));
    if (!taken.ok()) {
      Refusal refusal{"HTTP to " + destination_.text() + " refused (" + taken.error().message() + ")", ""};
      co_await refuse(std::move(refusal));
      co_return false;
    }
    if (!co_await send_up(rest)) co_return false;
    const ssize_t n = co_await read(client_, rest, body.done() ? 1 : kReadAtOnce, services_.room);
    if (n < 0) co_return false;
    if (n == 0) break;
  }
  std::error_code failed;
  server_.shutdown(Socket::shutdown_send, failed);
  co_return !failed;
}

bool RelaySession::count(std::uint64_t& way, std::uint64_t bytes) {
  way += bytes;
  services_.bytes += static_cast<std::int64_t>(bytes);
  if (!both_ways_ && up_ > 0 && down_ > 0) {
    both_ways_ = true;
    services_.reporter.carries(event(destination_.text()));
  }
  if (within_bytes()) return true;
  services_.cut_all();
  return false;
}

bool RelaySession::within_bytes() {
  const std::int64_t most = services_.policy.config.max_bytes;
  if (most == 0 || services_.bytes <= most) return true;
  services_.reporter.refused(event("data refused (more than " + std::to_string(most) + " bytes: gateway.limit.bytes)"));
  return false;
}

void RelaySession::report_end() {
  if (relayed_) services_.reporter.ended(event(destination_.text()));
}

awaitable<void> RelaySession::refuse(Refusal refusal, const std::string& section, std::optional<Rule> rule) {
  Event refused = event(std::move(refusal.text));
  refused.section = section;
  refused.rule = std::move(rule);
  services_.reporter.refused(std::move(refused));
  reset(server_);
  if (!refusal.answer.empty() && co_await write(client_, refusal.answer, in_ms(kRefusalMs))) {
    // Closing with unread data sends a reset, which may overtake the answer.
    std::error_code failed;
    client_.shutdown(Socket::shutdown_send, failed);
    char unread[4096];
    const Deadline deadline = in_ms(kRefusalMs);
    for (;;) {
      const ssize_t n = ::recv(client_.native_handle(), unread, sizeof unread, MSG_DONTWAIT);
      if (n == 0 || (n < 0 && errno != EAGAIN)) break;
      if (Clock::now() > deadline || (n < 0 && !co_await ready(client_, Socket::wait_read, deadline))) break;
    }
  }
  cut();
}

void RelaySession::cut() {
  reset(client_);
  reset(server_);
  services_.room.look_again();  // wakes this connection's own coroutine if it waits for room
}

Event RelaySession::event(std::string text) const {
  Event event;
  event.text = std::move(text);
  event.host = destination_.host.text();
  event.port = destination_.port;
  event.address = address_;
  event.up = up_;
  event.down = down_;
  event.duration_ms = std::chrono::duration<double, std::milli>(Clock::now() - began_).count();
  event.start_ms = services_.reporter.ms_since_start() - event.duration_ms;
  event.section = verdict_.section;
  event.rule = verdict_.rule;
  return event;
}

}  // namespace band::gateway
