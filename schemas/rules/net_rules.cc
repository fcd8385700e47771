#include "schemas/rules/net_rules.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "schemas/core/json_text.h"
#include "schemas/rules/text.h"

namespace band {
namespace {

using Parsed = ParsedRule<NetPattern>;
using Port = std::optional<std::uint16_t>;

constexpr std::uint32_t kLoopback = 0x7f000001;  // 127.0.0.1
constexpr const char* kLocalhost = "localhost";

const Parsed* first_about(const std::vector<Parsed>& layer, const NetHost& host) {
  const auto found =
      std::find_if(layer.begin(), layer.end(), [&](const Parsed& parsed) { return is_about(parsed.pattern, host); });
  return found == layer.end() ? nullptr : &*found;
}

const Parsed* first_open(const std::vector<Parsed>& layer, const NetHost& host, std::uint16_t port) {
  const auto found = std::find_if(layer.begin(), layer.end(), [&](const Parsed& parsed) {
    return parsed.pattern.opens(port) && is_about(parsed.pattern, host);
  });
  return found == layer.end() ? nullptr : &*found;
}

void decide(NetVerdict& verdict, const Parsed& by) {
  verdict.section = by.section;
  verdict.rule = by.rule;
}

std::string shown(const Parsed& parsed) { return std::string(parsed.section) + " " + shown_rule(parsed.rule); }

// The ports that the pattern allows in allow and insist.
std::vector<Port> ports_of(const NetPattern& pattern) {
  if (pattern.any_port) return {std::nullopt};
  if (pattern.port) return {pattern.port};
  return {80, 443};
}

template <class T>
void sort_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

NetHost NetHost::named(std::string_view canonical) {
  if (canonical == kLocalhost) return literal(IpAddress::v4(kLoopback));
  return {std::string(canonical), std::nullopt};
}

NetHost NetHost::literal(const IpAddress& address) {
  const IpAddress plain = address.unmapped();
  return {plain == IpAddress::v4(kLoopback) ? kLocalhost : "", plain};
}

NetHost NetHost::of(std::string_view text) {
  const auto address = IpAddress::parse(text);
  return address ? literal(*address) : named(text);
}

std::string NetHost::text() const { return name.empty() ? address->text() : name; }

std::string NetHost::text_with_port(std::uint16_t port) const {
  return name.empty() ? address->text_with_port(port) : escaped(name) + ":" + std::to_string(port);
}

bool is_about(const NetPattern& pattern, const NetHost& host) {
  return (!host.name.empty() && pattern.matches(host.name)) || (host.address && pattern.matches(*host.address));
}

Result<NetRules> NetRules::compile(const Domain& net) {
  NetRules rules;
  BAND_TRY(rules.deny_, parse_rules<NetPattern>(net.deny, "deny.net"));
  if (net.opens_nothing()) return rules;
  for (const RuleSet& layer : net.opened) {
    BAND_TRY(Layer parsed, parse_rules<NetPattern>(layer, "allow.net", net.insist, "insist.net"));
    rules.opened_.push_back(std::move(parsed));
  }
  rules.own_ = net.opened.size() - std::min(net.of_ceiling, net.opened.size());
  return rules;
}

bool NetRules::empty() const { return opened_.empty(); }

const NetRules::Parsed* NetRules::denying(const NetHost& host, std::uint16_t port) const {
  const auto found = std::find_if(deny_.begin(), deny_.end(), [&](const Parsed& deny) {
    return deny.pattern.closes(port) && is_about(deny.pattern, host);
  });
  return found == deny_.end() ? nullptr : &*found;
}

// Returns whether a rule of the band, other than `*`, allows the port of the host. The ceiling only restricts: a name
// in it does not mean that the band asked for this host.
bool NetRules::names(const NetHost& host, std::uint16_t port) const {
  const auto own_end = opened_.begin() + static_cast<std::ptrdiff_t>(own_);
  return std::any_of(opened_.begin(), own_end, [&](const Layer& layer) {
    return std::any_of(layer.begin(), layer.end(), [&](const Parsed& parsed) {
      return parsed.pattern.kind != NetPattern::Kind::Any && parsed.pattern.opens(port) &&
             is_about(parsed.pattern, host);
    });
  });
}

// Returns the refusal of a connection that `layer` does not allow and that all layers before it allow.
NetVerdict NetRules::closed(const NetHost& host, std::uint16_t port, std::size_t layer) const {
  NetVerdict verdict;
  const Parsed* about = layer < opened_.size() ? first_about(opened_[layer], host) : nullptr;
  if (layer > 0) {
    const Parsed& own = *first_open(opened_.front(), host, port);
    decide(verdict, own);
    verdict.why = shown(own) + ", but " + shown_file_of(opened_[layer].front().rule) + " does not allow " +
                  (about == nullptr ? "it" : "this port");
  } else if (about != nullptr) {
    decide(verdict, *about);
    verdict.why = "allow.net does not allow this port; write " + host.text_with_port(port);
    verdict.missing_rule = true;
  } else {
    verdict.why = host.name.empty() ? "no rule" : "not in allow.net";
    verdict.missing_rule = true;
  }
  return verdict;
}

NetVerdict NetRules::connect(const NetHost& host, std::uint16_t port) const {
  NetVerdict verdict;
  if (const Parsed* deny = denying(host, port)) {
    decide(verdict, *deny);
    verdict.why = shown(*deny);
    return verdict;
  }
  if (opened_.empty()) return closed(host, port, 0);
  for (std::size_t i = 0; i < opened_.size(); ++i)
    if (first_open(opened_[i], host, port) == nullptr) return closed(host, port, i);
  decide(verdict, *first_open(opened_.front(), host, port));
  // `*` does not include the machine itself: a rule must name localhost.
  if (host.name == kLocalhost && !names(host, port)) {
    verdict.why = "`*` does not include localhost; write " + host.text_with_port(port);
    return verdict;
  }
  verdict.allowed = true;
  verdict.names_port = port != 80 && port != 443;  // a rule without a port allows only these two ports
  return verdict;
}

// Returns representative ports; each other port behaves like one of them: the ports in rules for this host, 80, 443,
// and one port that no rule names.
std::vector<std::uint16_t> NetRules::representative_ports(const NetHost& host) const {
  std::set<std::uint16_t> named{80, 443};
  const auto add = [&](const Layer& layer) {
    for (const Parsed& parsed : layer)
      if (parsed.pattern.port && is_about(parsed.pattern, host)) named.insert(*parsed.pattern.port);
  };
  for (const Layer& layer : opened_) add(layer);
  add(deny_);
  std::uint16_t other = 1;
  while (named.count(other) != 0) ++other;  // there are far fewer rules than ports
  named.insert(other);
  return {named.begin(), named.end()};
}

NetVerdict NetRules::lookup(std::string_view name) const {
  const NetHost host = NetHost::named(name);
  NetVerdict refused;
  for (const std::uint16_t port : representative_ports(host)) {
    NetVerdict verdict = connect(host, port);
    if (verdict.allowed) return verdict;
    // The refusal of a port that the band allows is more useful than the refusal of a port that the band does not
    // allow.
    const bool meant = !opened_.empty() && first_open(opened_.front(), host, port) != nullptr;
    if (refused.why.empty() || meant) refused = std::move(verdict);
  }
  return refused;
}

std::optional<Rule> NetRules::denies(const IpAddress& resolved, std::uint16_t port) const {
  const Parsed* deny = denying(NetHost::literal(resolved), port);
  if (deny == nullptr) return std::nullopt;
  return deny->rule;
}

bool NetRules::opens_address(const IpAddress& address, std::uint16_t port) const {
  const NetHost host = NetHost::literal(address);
  return connect(host, port).allowed && names(host, port);
}

// Not defaulted: that needs operator<=> of std::optional, which libc++ before 17 does not have.
bool NetRules::Opening::operator<(const Opening& other) const {
  return std::tie(network, prefix_bits, port) < std::tie(other.network, other.prefix_bits, other.port);
}

std::vector<NetRules::Opening> NetRules::openings() const {
  std::vector<Opening> openings;
  if (opened_.empty()) return openings;
  for (const Parsed& parsed : opened_.front()) {
    const NetPattern& pattern = parsed.pattern;
    Opening opening{0, 0, std::nullopt};  // for `*`
    if (pattern.is_address() && !pattern.range.network.ipv6)
      opening = {pattern.range.network.v4_number(), pattern.range.bits, std::nullopt};
    else if (pattern.kind == NetPattern::Kind::Name && pattern.host == kLocalhost)
      opening = {kLoopback, 32, std::nullopt};
    else if (pattern.kind != NetPattern::Kind::Any)
      continue;
    for (const Port& port : ports_of(pattern)) {
      opening.port = port;
      openings.push_back(opening);
    }
  }
  sort_unique(openings);
  return openings;
}

std::vector<std::optional<std::uint16_t>> NetRules::name_ports() const {
  std::vector<Port> ports;
  if (opened_.empty()) return ports;
  for (const Parsed& parsed : opened_.front()) {
    if (parsed.pattern.is_address() || parsed.pattern.host == kLocalhost) continue;
    for (const Port& port : ports_of(parsed.pattern)) ports.push_back(port);
  }
  sort_unique(ports);
  if (!ports.empty() && !ports.front()) return {std::nullopt};
  return ports;
}

}  // namespace band
