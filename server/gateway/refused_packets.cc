#include "server/gateway/refused_packets.h"

#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

namespace band::gateway {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t kIpv4Header = 20;

std::uint16_t big_endian(Bytes bytes, std::size_t at) {
  return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

// Returns the logged packet in one netlink message; empty: the message has no packet.
Bytes payload_of(Bytes message) {
  constexpr std::size_t head = NLMSG_ALIGN(sizeof(nlmsghdr)) + NLMSG_ALIGN(sizeof(nfgenmsg));
  if (message.size() < head) return {};
  for (Bytes rest = message.subspan(head); rest.size() >= sizeof(nlattr);) {
    nlattr attribute;
    std::memcpy(&attribute, rest.data(), sizeof attribute);
    if (attribute.nla_len < sizeof attribute || attribute.nla_len > rest.size()) return {};
    if ((attribute.nla_type & NLA_TYPE_MASK) == NFULA_PAYLOAD)
      return rest.subspan(NLA_HDRLEN, attribute.nla_len - NLA_HDRLEN);
    rest = rest.subspan(std::min<std::size_t>(rest.size(), NLA_ALIGN(attribute.nla_len)));
  }
  return {};
}

std::string protocol_name(std::uint8_t protocol) {
  if (protocol == IPPROTO_UDP) return "udp";
  if (protocol == IPPROTO_ICMP) return "icmp";
  return "protocol " + std::to_string(protocol);
}

void report(const Packet& packet, const NetRules& rules, const Names& names, EventReporter& reporter) {
  Event event;
  event.packet = true;
  const std::string* name = names.name_of(packet.to);
  const NetHost host = name != nullptr ? NetHost::named(*name) : NetHost::literal(packet.to);
  event.host = host.text();
  event.port = packet.port;
  event.text = packet.port != 0 ? host.text_with_port(packet.port) : event.host;
  if (packet.protocol != IPPROTO_TCP) {
    event.text += "/" + protocol_name(packet.protocol) + " refused (only TCP is forwarded)";
  } else if (Names::made_up(packet.to) && name == nullptr) {
    event.text += " refused (the sandbox's resolver has not assigned this address to any name)";
  } else {
    const NetVerdict verdict = rules.connect(host, packet.port);
    event.text += " refused (" + (verdict.why.empty() ? "no rule" : verdict.why) + ")";
    event.section = verdict.section;
    event.rule = verdict.rule;
    event.missing_rule = verdict.missing_rule;
  }
  reporter.refused(std::move(event));
}

void report_all(Bytes bytes, const NetRules& rules, const Names& names, EventReporter& reporter) {
  while (bytes.size() >= sizeof(nlmsghdr)) {
    nlmsghdr head;
    std::memcpy(&head, bytes.data(), sizeof head);
    if (head.nlmsg_len < sizeof head || head.nlmsg_len > bytes.size()) return;
    if (head.nlmsg_type == (NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_PACKET))
      if (const auto packet = read_packet(payload_of(bytes.first(head.nlmsg_len))))
        report(*packet, rules, names, reporter);
    bytes = bytes.subspan(std::min<std::size_t>(bytes.size(), NLMSG_ALIGN(head.nlmsg_len)));
  }
}

}  // namespace

std::optional<Packet> read_packet(Bytes bytes) {
  if (bytes.size() < kIpv4Header || bytes[0] >> 4 != 4) return std::nullopt;
  const std::size_t header = std::size_t{bytes[0] & 15u} * 4;
  if (header < kIpv4Header) return std::nullopt;
  Packet packet;
  std::memcpy(packet.to.bytes.data(), &bytes[16], 4);
  packet.protocol = bytes[9];
  const bool first_fragment = (big_endian(bytes, 6) & 0x1fff) == 0;
  const bool has_port = packet.protocol == IPPROTO_TCP || packet.protocol == IPPROTO_UDP;
  if (has_port && first_fragment && bytes.size() >= header + 4) packet.port = big_endian(bytes, header + 2);
  return packet;
}

awaitable<void> follow_refusals(asio::io_context& loop, base::Fd netlink, const NetRules& rules, const Names& names,
                                EventReporter& reporter) {
  asio::posix::stream_descriptor socket(loop, netlink.release());
  std::array<std::uint8_t, 32 << 10> buffer;  // the kernel batches at most a page or two
  for (int turn = 1;; ++turn) {
    if (turn % kTurnsInARow == 0) co_await others_first(loop);
    sockaddr_nl from{};
    socklen_t size = sizeof from;
    const ssize_t n = ::recvfrom(socket.native_handle(), buffer.data(), buffer.size(), MSG_DONTWAIT,
                                 reinterpret_cast<sockaddr*>(&from), &size);
    if (n > 0) {
      if (from.nl_pid == 0) report_all(Bytes(buffer).first(static_cast<std::size_t>(n)), rules, names, reporter);
    } else if (n == 0 || errno == EAGAIN) {
      if (!co_await ready(socket, asio::posix::stream_descriptor::wait_read)) co_return;
    } else if (errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "cannot read the firewall's log");
    }
  }
}

}  // namespace band::gateway
