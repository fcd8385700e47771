// Decides by the rules of `net` whether a connection may be made and whether a name may be resolved. Pure.
//
// Does not cover: the addresses to which a name resolves, and the data on a connection. The relay, which forwards the
// connections of scripts, checks each of these addresses with `denies` and `opens_address`.
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

// The destination of a connection: a canonical name (host_name.h) or an address. For `localhost` and for 127.0.0.1,
// name and address are both set, so that a rule for either applies to both.
struct NetHost {
  std::string name;
  std::optional<IpAddress> address;

  static NetHost named(std::string_view canonical);
  static NetHost literal(const IpAddress& address);
  static NetHost of(std::string_view text);  // an address if `text` is one, else a name
  std::string text() const;                  // the name if there is one, else the address
  // "api.github.com:443", "192.0.2.1:443", "[2001:db8::1]:443"; with control characters escaped
  std::string text_with_port(std::uint16_t port) const;
};

bool is_about(const NetPattern& pattern, const NetHost& host);  // whether the pattern matches the host, on any port

struct NetVerdict {
  bool allowed = false;
  std::string section;  // the section of `rule`: "allow.net", "deny.net" or "insist.net"; "" if `rule` is absent
  // For an allowed connection: the matching rule of the first layer (Domain in rules.h), which is the layer of the
  // band. For a refused connection: the matching deny rule; if there is none, the rule of the first layer for this
  // host; absent if there is no such rule either.
  std::optional<Rule> rule;
  // The reason of a refusal, with control characters escaped: `not in allow.net` (a name), `no rule` (an address),
  // `deny.net "x", BAND.md:9`, `allow.net does not allow this port; write api.github.com:22`.
  std::string why;
  bool missing_rule = false;  // refused only because no rule of the band allows the connection
  // True if the rule that allows the connection has this port or `:*`: protocols other than TLS and HTTP may then pass.
  // Always false for ports 80 and 443.
  bool names_port = false;
};

class NetRules {
 public:
  static Result<NetRules> compile(const Domain& net);

  bool empty() const;  // nothing is allowed
  // A name may be resolved if a connection to the name is allowed on at least one port. `name` must be canonical
  // (host_name.h).
  NetVerdict lookup(std::string_view name) const;
  // A rule `*` does not allow localhost; another rule of the band, not of the ceiling, must allow it.
  NetVerdict connect(const NetHost& host, std::uint16_t port) const;
  // Returns the deny rule that matches an address to which a name resolved, if any. An IPv4-mapped IPv6 address is
  // treated as the IPv4 address.
  std::optional<Rule> denies(const IpAddress& resolved, std::uint16_t port) const;
  // Returns true if the connection is allowed, and a rule of the band for exactly this address, for a CIDR that
  // contains this address, or for `localhost` matches it; a rule `*` of the band is not enough, also if the ceiling
  // names it. A private address needs such a rule, and the operator must have listed the address in
  // gateway.allow_private.
  bool opens_address(const IpAddress& address, std::uint16_t port) const;

  // A destination that the firewall must redirect to the relay: an IPv4 network in host order, and a port; no port
  // means every port. Not included: made-up addresses, through which scripts connect to allowed names
  // (docs/architecture.md 6.2).
  struct Opening {
    std::uint32_t network = 0;
    std::uint8_t prefix_bits = 0;
    std::optional<std::uint16_t> port;
    bool operator==(const Opening&) const = default;
    bool operator<(const Opening& other) const;
  };
  // Returns the destinations of the rules for addresses, for `localhost` (127.0.0.1/32) and for `*` (0.0.0.0/0) in the
  // first layer, sorted and without duplicates. Ignores the other layers and the deny rules, because the relay checks
  // all rules with `connect` for each connection.
  std::vector<Opening> openings() const;
  // Returns the ports on which connections to made-up addresses must be redirected to the relay, sorted and without
  // duplicates; {nullopt} means every port.
  std::vector<std::optional<std::uint16_t>> name_ports() const;

 private:
  using Parsed = ParsedRule<NetPattern>;
  using Layer = std::vector<Parsed>;

  NetVerdict closed(const NetHost& host, std::uint16_t port, std::size_t layer) const;

  const Parsed* denying(const NetHost& host, std::uint16_t port) const;
  std::vector<std::uint16_t> representative_ports(const NetHost& host) const;
  bool names(const NetHost& host, std::uint16_t port) const;

  std::vector<Layer> opened_;
  std::size_t own_ = 0;  // number of layers at the beginning of opened_ that come from bands, not from the ceiling
  Layer deny_;
};

}  // namespace band
