// May this connection be made, may this name be resolved? Pure.
//
// Does not cover: what a name resolves to (the relay checks every address, and asks `denies` and `opens_address` about
// them), nor what is said on a connection.
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

// What a connection is made to: a canonical name, or an address. `localhost` and 127.0.0.1 are both: rules about the
// one hold for the other.
struct NetHost {
  std::string name;
  std::optional<IpAddress> address;

  static NetHost named(std::string_view canonical);
  static NetHost literal(const IpAddress& address);
  static NetHost of(std::string_view text);  // either, as it was written
  std::string text() const;                  // "localhost" if it is both
  // "api.github.com:443", "192.0.2.1:443", "[2001:db8::1]:443"; escaped
  std::string text_with_port(std::uint16_t port) const;
};

bool is_about(const NetPattern& pattern, const NetHost& host);

struct NetVerdict {
  bool allowed = false;
  std::string section;       // of `rule`: "allow.net", "deny.net" or "insist.net"
  std::optional<Rule> rule;  // that allowed or refused; the band's own if several layers allow
  // Refused: `not in allow.net`, `no rule` (an address), `deny.net "x", BAND.md:9`, `port; write api.github.com:22`.
  // Escaped.
  std::string why;
  bool missing_rule = false;  // refused only because the band has no rule that opens it
  // A rule names this port (or `:*`): protocols other than TLS and HTTP may pass. Never so on 80 and 443.
  bool names_port = false;
};

class NetRules {
 public:
  static Result<NetRules> compile(const Domain& net);

  bool empty() const;  // opens nothing
  // May the name be resolved? Yes if a connection to some port of it may be made.
  NetVerdict lookup(std::string_view name) const;
  NetVerdict connect(const NetHost& host, std::uint16_t port) const;
  // The deny about this address that a name resolved to. IPv4-mapped addresses are their IPv4 address.
  std::optional<Rule> denies(const IpAddress& resolved, std::uint16_t port) const;
  // Is the connection allowed, and by a rule that is this very address, a CIDR around it, or `localhost`? (`*` is
  // none.) Only such a rule reaches private addresses, and only those that the operator opens, too.
  bool opens_address(const IpAddress& address, std::uint16_t port) const;

  // What has to be caught besides made-up addresses: IPv4, network in host order. Wider than what is opened where
  // layers or denies cut: `connect` decides. No port: every port. Sorted, each once; `localhost` is 127.0.0.1/32.
  struct Opening {
    std::uint32_t network = 0;
    std::uint8_t prefix_bits = 0;
    std::optional<std::uint16_t> port;
    bool operator==(const Opening&) const = default;
    bool operator<(const Opening& other) const;
  };
  std::vector<Opening> openings() const;
  // The ports on which made-up addresses have to be caught; {nullopt}: every port. Sorted, each once.
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
