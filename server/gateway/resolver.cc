#include "server/gateway/resolver.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "schemas/address/host_name.h"
#include "schemas/core/json_text.h"
#include "server/gateway/accept.h"
#include "server/gateway/dns_message.h"
#include "server/gateway/pump.h"

namespace band::gateway {
namespace {

// Clients may cache an answer: a name's address does not change during the execution.
constexpr std::uint32_t kTtlS = 60;
// Over TCP a query follows immediately after the connection is made.
constexpr int kTcpTimeoutMs = 10'000;
constexpr int kMostTcp = 32;
constexpr int kMostErrors = 64;  // in a row, on the UDP socket

std::span<const std::uint8_t> octets(std::string_view bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

// Reads exactly `size` bytes; returns false otherwise.
awaitable<bool> read_exactly(Socket& from, char* bytes, std::size_t size, Deadline deadline) {
  while (size > 0) {
    const ssize_t n = ::recv(from.native_handle(), bytes, size, MSG_DONTWAIT);
    if (n > 0) {
      bytes += n;
      size -= static_cast<std::size_t>(n);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR) || !co_await ready(from, Socket::wait_read, deadline)) {
      co_return false;
    }
  }
  co_return true;
}

}  // namespace

std::string Resolver::answer_to(std::string_view message) {
  const auto query = read_query(octets(message));
  if (!query) return {};
  if (query->fault != Rcode::NoError) return answer(*query, query->fault);
  Event refused;
  const auto name = canonical_name(query->question.name);
  // No rule can allow a query for something that is not a host name, such as a service name.
  refused.host = escaped(name.ok() ? *name : query->question.name);
  std::string why = "not a host name";
  if (name.ok()) {
    NetVerdict verdict = rules_.lookup(*name);
    if (verdict.allowed) {
      if (!query->question.asks_for_ipv4()) return answer(*query, Rcode::NoError);
      if (const auto address = names_.address_of(*name))
        return answer(
            *query, Rcode::NoError,
            std::array<std::uint8_t, 4>{address->bytes[0], address->bytes[1], address->bytes[2], address->bytes[3]},
            kTtlS);
      verdict.why = "more names than gateway.limit.names allows";
    }
    why = verdict.why;
    refused.section = verdict.section;
    refused.rule = verdict.rule;
    refused.missing_rule = verdict.missing_rule;
  }
  refused.text = refused.host + " refused (" + why + ")";
  // Queries of other types (reverse lookups, service queries) are not reported: programs tolerate their failure. If
  // they were reported as refusals, they would seem to be the cause of failures that have another cause.
  if (query->question.asks_where()) reporter_.name_refused(std::move(refused));
  return answer(*query, Rcode::NxDomain);
}

awaitable<void> Resolver::serve_udp(base::Fd socket) {
  asio::ip::udp::socket io(loop_, asio::ip::udp::v4(), socket.release());
  std::array<char, 4096> buffer;
  int errors = 0;
  for (int turn = 1;; ++turn) {
    if (turn % kTurnsInARow == 0) co_await others_first(loop_);
    sockaddr_in from{};
    socklen_t size = sizeof from;
    auto* peer = reinterpret_cast<sockaddr*>(&from);
    const ssize_t n = ::recvfrom(io.native_handle(), buffer.data(), buffer.size(), MSG_DONTWAIT, peer, &size);
    if (n >= 0) {
      errors = 0;
      const std::string reply = answer_to({buffer.data(), static_cast<std::size_t>(n)});
      if (!reply.empty()) (void)::sendto(io.native_handle(), reply.data(), reply.size(), MSG_DONTWAIT, peer, size);
    } else if (errno == EAGAIN) {
      if (!co_await ready(io, asio::ip::udp::socket::wait_read)) co_return;
    } else if (++errors >= kMostErrors) {
      // A single error can belong to an earlier answer (its client has exited), and must not end the loop.
      throw std::system_error(errno, std::generic_category(), "cannot read DNS queries");
    }
  }
}

awaitable<void> Resolver::serve_tcp(base::Fd listener) {
  Acceptor clients(loop_, std::move(listener));
  for (;;) {
    Socket client = co_await clients.next();
    if (connections_ >= kMostTcp) continue;  // closes the connection
    spawn(loop_, serve_connection(std::move(client)));
  }
}

awaitable<void> Resolver::serve_connection(Socket client) {
  ++connections_;
  std::string message;
  for (int turn = 1;; ++turn) {
    if (turn % kTurnsInARow == 0) co_await others_first(loop_);
    unsigned char size[2];
    const Deadline deadline = in_ms(kTcpTimeoutMs);
    if (!co_await read_exactly(client, reinterpret_cast<char*>(size), sizeof size, deadline)) break;
    message.resize(static_cast<std::size_t>(size[0] << 8 | size[1]));
    if (!co_await read_exactly(client, message.data(), message.size(), deadline)) break;
    const std::string reply = answer_to(message);
    if (reply.empty()) break;
    const std::string framed{static_cast<char>(reply.size() >> 8), static_cast<char>(reply.size() & 255)};
    if (!co_await write(client, framed + reply, deadline)) break;
  }
  --connections_;
}

}  // namespace band::gateway
