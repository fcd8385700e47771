#include "server/execution/network.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "schemas/rules/net_rules.h"
#include "server/base/channel.h"
#include "server/base/io.h"
#include "server/gateway_link/event.h"
#include "server/layout/made_up.h"
#include "server/network/sockets.h"

namespace band::run {
namespace {

constexpr const char* kLayer = "gateway";
constexpr timeval kSendTimeout{5, 0};  // send timeout for a process that does not read its policy
constexpr int kLastEventMs = gateway::kMostFlushMs + 1'000;

// The destinations that the firewall redirects to the gateway: addresses that rules name, and made-up addresses, each
// with the ports of the rules.
Result<firewall::Egress> egress_of(const gateway::Policy& policy) {
  BAND_TRY(const NetRules rules, NetRules::compile(policy.net));
  firewall::Doors doors{network::kRelayPort, network::kResolverPort, network::kRefusalGroup, rules.openings()};
  for (const auto& port : rules.name_ports())
    doors.to_relay.push_back({layout::kMadeUpNetwork, layout::kMadeUpBits, port});
  return firewall::Egress(std::move(doors));
}

std::string framed(const gateway::Policy& policy) {
  const std::string json = gateway::encode(policy);
  const std::uint64_t size = json.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + json;
}

// Parses a line of this namespace's /proc/net/sockstat: "TCP: inuse 0 orphan 0 tw 3 ..."
bool none_in_use(const std::string& sockstat, const char* protocol) {
  return sockstat.find(std::string(protocol) + ": inuse 0 ") != std::string::npos;
}

}  // namespace

Result<std::unique_ptr<Network>> Network::start(const Parts& parts) {
  std::unique_ptr<Network> network(new Network);
  firewall::Egress egress = firewall::Closed{};
  if (parts.policy) {
    BAND_TRY(egress, egress_of(*parts.policy));
  }
  BAND_TRY(network->chain_, firewall::install(parts.id, parts.uid, egress));
  if (parts.policy) BAND_CHECK(network->order(parts));
  return network;
}

Status Network::order(const Parts& parts) {
  if (parts.gateway.control < 0)
    return layer_error(kLayer, "this server runs without band-gateway", 0,
                       "remove the net rules from the band: they need band-gateway");
  BAND_TRY(const network::Sockets sockets, network::open_sockets());
  BAND_TRY(auto ends, base::stream_pair());
  if (::setsockopt(ends.first.get(), SOL_SOCKET, SO_SNDTIMEO, &kSendTimeout, sizeof kSendTimeout) != 0)
    return layer_error(kLayer, "cannot set the send timeout of the socket to the process of this execution", errno);
  BAND_CHECK(base::pass_credentials(ends.first.get()));
  gateway_user_ = parts.gateway.user;
  serves_ = true;
  ordered_us_ = base::monotonic_us();
  BAND_CHECK(base::send(parts.gateway.control, "begin",
                        {ends.second.get(), sockets.relay.get(), sockets.resolver_udp.get(), sockets.resolver_tcp.get(),
                         sockets.refusals.get()}));
  events_ = std::move(ends.first);
  // The engine's copies of the sockets close on return, so the sockets live as long as the gateway process.
  return base::write_all(events_.get(), framed(*parts.policy));
}

bool Network::lives() const {
  if (!serves_) return true;
  return events_ && !base::peer_closed(events_.get());
}

Status Network::on_readable(Record& record) {
  auto message = base::receive(events_.get(), 16 << 10);
  if (!message.ok()) return message.error();
  if (message->text.empty()) {
    events_.reset();
    return layer_error(kLayer, "the gateway process of this execution exited", 0,
                       "see the last messages of the process in the server's log");
  }
  if (message->fds.size() == 1 && !process_) {
    BAND_CHECK(its_own(*message));
    process_ = std::move(message->fds[0]);
  }
  unread_ += message->text;
  for (std::size_t end = 0; (end = unread_.find('\n')) != std::string::npos; unread_.erase(0, end + 1))
    BAND_CHECK(record_event(unread_.substr(0, end), record));
  if (unread_.size() >= gateway::kMaxEventBytes) return layer_error(kLayer, "an event is too long", 0);
  return done();
}

// Checks that the process sent its own pidfd, by which it is later killed and waited for. With the pidfd of another
// process, the engine would kill that process.
Status Network::its_own(const base::Message& message) const {
  const int handed = message.fds[0].get();
  BAND_TRY(const std::string info, base::read_file("/proc/self/fdinfo/" + std::to_string(handed), 4096));
  const std::size_t pid = info.find("\nPid:\t");  // proc_pid_fdinfo(5), of a pidfd
  const bool same = pid != std::string::npos && message.sender &&
                    std::strtol(info.c_str() + pid + 6, nullptr, 10) == message.sender->pid;
  if (!same || message.sender->uid != gateway_user_)
    return layer_error(kLayer, "the descriptor that the process sent is not its own pidfd", 0);
  // While the process lives, no other process can have its pid.
  if (::syscall(SYS_pidfd_send_signal, handed, 0, nullptr, 0) != 0)
    return layer_error(kLayer, "cannot signal the process of this execution by its pidfd", errno);
  return done();
}

// The gateway process is part of band, but it parses hostile bytes: its events are validated like untrusted input.
Status Network::record_event(const std::string& line, Record& record) {
  BAND_TRY(const gateway::Event event, gateway::decode_event(line));
  using Kind = gateway::Event::Kind;
  const bool first = ready_us_ == 0, last = event.kind == Kind::Last;
  if (last_event_ || first != (event.kind == Kind::Ready) || (last && !finishing_))
    return layer_error(kLayer, "protocol error: an event out of order", 0);
  last_event_ = last;
  if (last) return done();
  if (!first) {
    record.net(event, ready_us_);
    return done();
  }
  if (!process_) return layer_error(kLayer, "protocol error: the Ready event came without a pidfd", 0);
  // Clamped: the process may have started before this execution, and its event may have waited in the socket.
  const auto began = static_cast<std::int64_t>(event.start_ms * 1000);
  ready_us_ = std::clamp(began, ordered_us_, base::monotonic_us());
  return done();
}

Status Network::finish(Record& record) {
  if (!serves_ || all_read_) return done();
  const std::int64_t until = base::monotonic_us() + std::int64_t{kLastEventMs} * 1000;
  finishing_ = true;
  if (events_) ::shutdown(events_.get(), SHUT_WR);
  while (events_ && base::monotonic_us() < until && base::wait_readable(events_.get(), until)) {
    Status status = on_readable(record);
    if (!status.ok() && events_) return status;
  }
  // EOF alone is not sufficient: a killed process causes it, too.
  all_read_ = !events_ && unread_.empty() && last_event_;
  if (all_read_) return done();
  if (events_)
    return layer_error(kLayer, "cannot read the last event of the gateway process of this execution", ETIMEDOUT);
  return layer_error(
      kLayer, "the gateway process of this execution exited before its last event", 0,
      "see the last messages of the process in the server's log; connections may be missing in the ledger");
}

// Returns true when this network namespace has no sockets. Sockets of closed connections count, except in TIME_WAIT,
// where no data is sent.
bool Network::quiet() const {
  const auto sockstat = base::read_file("/proc/thread-self/net/sockstat", 4096);
  return sockstat.ok() && none_in_use(*sockstat, "TCP") && none_in_use(*sockstat, "UDP");
}

bool Network::left_traces() const {
  if (!serves_) return false;
  const auto counters = chain_.counters();
  return !counters.ok() || counters->packets > 0;
}

bool Network::end(int ms) {
  if (!serves_) return true;
  const std::int64_t until = base::monotonic_us() + std::int64_t{ms} * 1000;
  events_.reset();  // a process that is not ready yet exits, too: at EOF in place of its policy, or after it
  if (process_ && !base::wait_readable(process_.get(), all_read_ ? until : base::monotonic_us()))
    ::syscall(SYS_pidfd_send_signal, process_.get(), SIGKILL, nullptr, 0);
  if (process_ && !base::wait_readable(process_.get(), until)) return false;
  while (!quiet()) {
    if (base::monotonic_us() >= until) return false;
    ::usleep(500);
  }
  serves_ = false;
  return true;
}

}  // namespace band::run
