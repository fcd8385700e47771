// Host patterns. Unusual forms that resolvers parse as an address (`127.1`, `0x7f.1`, `2130706433`) are refused, so
// that a pattern has the same meaning for every reader.
#include <algorithm>

#include "schemas/address/host_name.h"
#include "schemas/core/decimal.h"
#include "schemas/pattern/pattern.h"

namespace band {
namespace {

constexpr std::size_t kMaxPatternBytes = 1024;  // a name has at most 253; in UTF-8, before punycode, a few times more

Error bad_net(std::string_view text, const std::string& what, const std::string& hint) {
  return Error{.code = Code::SkillInvalid,
               .doing = "net pattern \"" + std::string(text.substr(0, 80)) + "\" " + what,
               .hint = hint};
}

// Returns a hint that names `host` only if it is a valid pattern.
std::string write_instead(std::string_view host) {
  const bool good = NetPattern::parse(host).ok();
  return "write its host alone" + (good ? ": `" + std::string(host) + "`" : ", as in `api.example.com`");
}

// Returns the host and port of a URL `https://name:password@host:port/path?query`; `rest` begins after the `://`.
std::string_view host_of_url(std::string_view rest) {
  rest = rest.substr(0, rest.find_first_of("/?#"));
  const std::size_t at = rest.rfind('@');
  return at == std::string_view::npos ? rest : rest.substr(at + 1);
}

// Parses an address or a CIDR; `is_address` is false when `host` is neither.
Status parse_address(std::string_view text, std::string_view host, NetPattern& pattern, bool& is_address) {
  const std::size_t slash = host.find('/');
  const auto address = IpAddress::parse(host.substr(0, slash));
  is_address = address.has_value();
  if (!is_address) return done();
  if (address->unmapped() != *address) return bad_net(text, "is an IPv4-mapped IPv6 address", "write it as IPv4");
  pattern.host = address->text();
  pattern.range = {*address, static_cast<std::uint8_t>(address->bits())};
  pattern.kind = NetPattern::Kind::Address;
  if (slash == std::string_view::npos) return done();
  pattern.kind = NetPattern::Kind::Cidr;
  const auto bits = parse_decimal(host.substr(slash + 1), address->bits());
  if (!bits)
    return bad_net(text, "has a bad prefix length", "write `/0` to `/" + std::to_string(address->bits()) + "`");
  pattern.range.bits = static_cast<std::uint8_t>(*bits);
  if (const Cidr network = pattern.range.cleared(); network != pattern.range)
    return bad_net(text, "has bits set after its prefix", "write `" + network.text() + "`, or the address alone");
  return done();
}

// Splits `:port` or `:*` off the end; `host` is the rest, without the brackets of an IPv6 address.
Status split_port(std::string_view text, std::string_view& host, NetPattern& pattern) {
  host = text;
  std::string_view port;
  bool with_port = false;
  if (text.front() == '[') {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos || text.substr(0, close).find(':') == std::string_view::npos)
      return bad_net(text, "has brackets around text that is not an IPv6 address",
                     "write `[2001:db8::1]` or `[2001:db8::1]:443`");
    host = text.substr(1, close - 1);
    const std::string_view rest = text.substr(close + 1);
    if (rest.starts_with('/'))
      return bad_net(text, "has brackets around an address with a prefix",
                     "write a CIDR without them, as in `2001:db8::/32`");
    if (!rest.empty() && rest[0] != ':')
      return bad_net(text, "has text other than a port after its brackets", "write `[2001:db8::1]:443`");
    with_port = !rest.empty();
    if (with_port) port = rest.substr(1);
  } else if (std::count(text.begin(), text.end(), ':') == 1) {
    const std::size_t colon = text.find(':');
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
    with_port = true;
  }
  if (!with_port) return done();
  if (port.find('/') != std::string_view::npos)
    return bad_net(text, "has a path after its port", write_instead(text.substr(0, text.find('/'))));
  pattern.any_port = port == "*";
  if (pattern.any_port) return done();
  const unsigned number = parse_decimal(port, 65535).value_or(0);
  if (number == 0)
    return bad_net(text, "has a bad port", "write a number from 1 to 65535, as in `example.com:8443`, or `:*`");
  pattern.port = static_cast<std::uint16_t>(number);
  return done();
}

bool is_below(std::string_view name, std::string_view base) {
  return name.size() > base.size() && name.ends_with(base) && name[name.size() - base.size() - 1] == '.';
}

constexpr std::uint32_t kLoopback = 0x7f000001;  // 127.0.0.1

bool hosts_meet(const NetPattern& a, const NetPattern& b) {
  using Kind = NetPattern::Kind;
  if (a.kind == Kind::Any || b.kind == Kind::Any) return true;
  if (a.is_address() && b.is_address()) return a.range.contains(b.range) || b.range.contains(a.range);
  if (b.is_address()) return hosts_meet(b, a);
  if (a.is_address()) return b.matches("localhost") && a.range.contains(IpAddress::v4(kLoopback));
  if (a.kind == Kind::Name) return b.matches(a.host);
  if (b.kind == Kind::Name) return a.matches(b.host);
  return a.host == b.host || is_below(a.host, b.host) || is_below(b.host, a.host);
}

bool ports_meet(const NetPattern& a, const NetPattern& b) {
  if (a.any_port || b.any_port) return true;
  if (a.port) return b.opens(*a.port);
  return !b.port || a.opens(*b.port);
}

}  // namespace

Result<NetPattern> NetPattern::parse(std::string_view text) {
  if (text.empty()) return bad_net(text, "is empty", "name a host, as in `api.example.com`, or remove the entry");
  if (text.size() > kMaxPatternBytes) return bad_net(text, "is longer than 1024 bytes", "shorten it");
  if (const std::size_t scheme = text.find("://"); scheme != std::string_view::npos)
    return bad_net(text, "is a URL", write_instead(host_of_url(text.substr(scheme + 3))));
  NetPattern pattern;
  pattern.text = std::string(text);
  std::string_view host;
  BAND_CHECK(split_port(text, host, pattern));
  if (host == "*") {
    pattern.kind = Kind::Any;
    return pattern;
  }
  bool is_address = false;
  BAND_CHECK(parse_address(text, host, pattern, is_address));
  if (is_address) return pattern;
  if (host.find('/') != std::string_view::npos)
    return bad_net(text, "has a `/` and is not a CIDR", "write a host without a path, or `192.0.2.0/24`");
  if (host.substr(0, 2) == "*.") {
    pattern.kind = Kind::Subdomains;
    host.remove_prefix(2);
  }
  auto name = canonical_name(host);
  if (!name.ok()) return bad_net(text, name.error().doing, name.error().hint);
  pattern.host = std::move(name).value();
  return pattern;
}

bool NetPattern::covers(const NetPattern& inner) const {
  if (!any_port) {
    if (inner.any_port) return false;
    if (port && inner.port != port) return false;
    if (!port && inner.port && *inner.port != 443 && *inner.port != 80) return false;
  }
  switch (kind) {
    case Kind::Any:
      return true;
    case Kind::Name:
      return inner.kind == Kind::Name && inner.host == host;
    case Kind::Subdomains:
      if (inner.kind == Kind::Subdomains && inner.host == host) return true;
      return (inner.kind == Kind::Name || inner.kind == Kind::Subdomains) && is_below(inner.host, host);
    case Kind::Address:
    case Kind::Cidr:
      return inner.is_address() && range.contains(inner.range);
  }
  return false;
}

bool NetPattern::may_overlap(const NetPattern& other) const {
  return hosts_meet(*this, other) && ports_meet(*this, other);
}

NetPattern NetPattern::as_deny() const {
  NetPattern wide = *this;
  wide.any_port = any_port || !port;
  return wide;
}

bool NetPattern::matches(std::string_view name) const {
  switch (kind) {
    case Kind::Any:
      return true;
    case Kind::Name:
      return name == host;
    case Kind::Subdomains:
      return is_below(name, host);
    case Kind::Address:
    case Kind::Cidr:
      return false;
  }
  return false;
}

bool NetPattern::matches(const IpAddress& address) const {
  return kind == Kind::Any || (is_address() && range.contains(address));
}

bool NetPattern::opens(std::uint16_t number) const {
  return any_port || (port ? *port == number : number == 443 || number == 80);
}

bool NetPattern::closes(std::uint16_t number) const { return any_port || !port || *port == number; }

std::optional<NetPattern> one_host(std::string_view text) {
  auto pattern = NetPattern::parse(text);
  if (!pattern.ok() || pattern->any_port) return std::nullopt;
  if (pattern->kind != NetPattern::Kind::Name && pattern->kind != NetPattern::Kind::Address) return std::nullopt;
  return std::move(pattern).value();
}

}  // namespace band
