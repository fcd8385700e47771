// Decides whether a connection may be made and whether a name may be resolved. Pure.
//
// Does not cover: the addresses that a name resolves to (the relay checks each of them with `denies` and
// `opens_address`), and the data on a connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/address/ip_address.h"
#include "schemas/core/result.h"
#include "schemas/pattern/pattern.h"
#include "schemas/rules/parsed_rule.h"
#include "schemas/rules/rules.h"

namespace band {

// The destination of a connection: a canonical name or an address. `localhost` and 127.0.0.1 each have both: rules for
// one apply to the other.
struct NetHost {
  std::string name;
  std::optional<IpAddress> address;

  static NetHost named(std::string_view canonical);
  static NetHost literal(const IpAddress& address);
  static NetHost of(std::string_view text);  // an address if `text` is one, else a name
  std::string text() const;                  // "localhost" if it is both
  // "api.github.com:443", "192.0.2.1:443", "[2001:db8::1]:443"; escaped
  std::string text_with_port(std::uint16_t port) const;
};

bool is_about(const NetPattern& pattern, const NetHost& host);

struct NetVerdict {
  bool allowed = false;
  std::string section;       // the section of `rule`: "allow.net", "deny.net" or "insist.net"
  std::optional<Rule> rule;  // the rule that allowed or refused; the band's own if several layers allow
  // The reason of a refusal, escaped: `not in allow.net`, `no rule` (an address), `deny.net "x", BAND.md:9`,
  // `port; write api.github.com:22`.
  std::string why;
  bool missing_rule = false;  // refused only because the band has no rule that opens it
  // A rule names this port (or `:*`), so protocols other than TLS and HTTP may pass. Always false for 80 and 443.
  bool names_port = false;
};

class NetRules {
 public:
  static Result<NetRules> compile(const Domain& net);

  bool empty() const;  // opens nothing
  // Allowed if a connection to at least one port of the name is allowed.
  NetVerdict lookup(std::string_view name) const;
  NetVerdict connect(const NetHost& host, std::uint16_t port) const;
  // Returns the deny rule for an address to which a name resolved. An IPv4-mapped address counts as its IPv4 address.
  std::optional<Rule> denies(const IpAddress& resolved, std::uint16_t port) const;
  // Returns whether the connection is allowed by a rule for exactly this address, a CIDR that contains it, or
  // `localhost`, and not only by `*`. Only such a rule reaches private addresses, and only those that the operator
  // opens.
  bool opens_address(const IpAddress& address, std::uint16_t port) const;

  // The destinations, besides made-up addresses, that the firewall must redirect to the relay: IPv4, network in host
  // order; without a port: every port. Further layers and denies are ignored here; `connect` decides. Sorted, without
  // duplicates; `localhost` is 127.0.0.1/32.
  struct Opening {
    std::uint32_t network = 0;
    std::uint8_t prefix_bits = 0;
    std::optional<std::uint16_t> port;
    bool operator==(const Opening&) const = default;
    bool operator<(const Opening& other) const;
  };
  std::vector<Opening> openings() const;
  // The ports on which made-up addresses must be redirected to the relay; {nullopt}: every port. Sorted, no duplicates.
  std::vector<std::optional<std::uint16_t>> name_ports() const;

 private:
  using Parsed = ParsedRule<NetPattern>;
  using Layer = std::vector<Parsed>;

  NetVerdict closed(const NetHost& host, std::uint16_t port, std::size_t layer) const;

  const Parsed* denying(const NetHost& host, std::uint16_t port) const;
  std::vector<std::uint16_t> telling_ports(const NetHost& host) const;
  bool names(const NetHost& host, std::uint16_t port) const;

  std::vector<Layer> opened_;
  Layer deny_;
};

}  // namespace band
