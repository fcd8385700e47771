// Host patterns. The forms that resolvers take for an address though they do not look like one (`127.1`, `0x7f.1`,
// `2130706433`) are refused: a pattern means the same to everybody who reads it.
#include <arpa/inet.h>
#include <idn2.h>

#include <algorithm>
#include <cstring>

#include "schemas/pattern.h"
#include "schemas/utf8.h"

namespace band {
namespace {

constexpr std::size_t kMaxPatternBytes = 1024;  // a name has 253; in UTF-8, before punycode, a few times that
constexpr std::size_t kMaxNameBytes = 253;      // RFC 1035 2.3.4, as text
constexpr std::size_t kMaxLabelBytes = 63;

Error bad_net(std::string_view text, const std::string& what, const std::string& hint) {
  return Error{Code::SkillInvalid, "", "net pattern \"" + std::string(text.substr(0, 80)) + "\" " + what, 0, hint, ""};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

// A decimal number without leading zeros, at most `max`.
bool parse_number(std::string_view text, unsigned max, unsigned& out) {
  if (text.empty() || text.size() > 5 || (text.size() > 1 && text[0] == '0')) return false;
  out = 0;
  for (const char c : text) {
    if (!is_digit(c)) return false;
    out = out * 10 + static_cast<unsigned>(c - '0');
  }
  return out <= max;
}

bool parse_ipv4(std::string_view text, std::uint8_t* out) {
  for (int i = 0; i < 4; ++i) {
    const std::size_t dot = i < 3 ? text.find('.') : text.size();
    unsigned octet = 0;
    if (dot == std::string_view::npos || !parse_number(text.substr(0, dot), 255, octet)) return false;
    out[i] = static_cast<std::uint8_t>(octet);
    text = i < 3 ? text.substr(dot + 1) : std::string_view{};
  }
  return true;
}

bool parse_ipv6(std::string_view text, std::uint8_t* out) {
  if (text.size() > 45) return false;
  return ::inet_pton(AF_INET6, std::string(text).c_str(), out) == 1;
}

// Does resolving take this for a number? (inet_aton(3): decimal, octal and hexadecimal, one to four parts)
bool looks_numeric(std::string_view host) {
  const std::size_t dot = host.rfind('.');
  std::string_view last = dot == std::string_view::npos ? host : host.substr(dot + 1);
  if (last.substr(0, 2) == "0x") return true;
  return !last.empty() && std::all_of(last.begin(), last.end(), is_digit);
}

Result<std::string> to_ascii(std::string_view text, std::string_view host) {
  const bool plain = std::all_of(host.begin(), host.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  std::string name;
  if (plain) {
    name = std::string(host);
    for (char& c : name)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return name;
  }
  if (!is_valid_utf8(host)) return bad_net(text, "is not UTF-8", "save the file as UTF-8");
  char* ascii = nullptr;
  // Non-transitional UTS 46 is what browsers and curl do.
  const int rc = ::idn2_to_ascii_8z(std::string(host).c_str(), &ascii, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
  if (rc != IDN2_OK)
    return bad_net(text, std::string("is no internationalised name: ") + ::idn2_strerror(rc),
                   "write the name's `xn--` form");
  name = ascii;
  ::idn2_free(ascii);
  return name;
}

Status check_name(std::string_view text, std::string_view name) {
  if (name.empty()) return bad_net(text, "has no host", "name one, as in `api.example.com`");
  if (name.size() > kMaxNameBytes) return bad_net(text, "has a name of more than 253 characters", "shorten it");
  if (looks_numeric(name))
    return bad_net(text, "is no IPv4 address", "write four decimal numbers, as in `192.0.2.1`, or `192.0.2.0/24`");
  for (std::string_view rest = name; !rest.empty() || name.back() == '.';) {
    const std::size_t dot = rest.find('.');
    const std::string_view label = rest.substr(0, dot);
    if (label.empty()) return bad_net(text, "has an empty label", "remove the extra dot");
    if (label.size() > kMaxLabelBytes) return bad_net(text, "has a label of more than 63 characters", "shorten it");
    if (label.front() == '-' || label.back() == '-')
      return bad_net(text, "has a label that begins or ends with `-`", "remove the `-`");
    for (const char c : label) {
      if (c == '*')
        return bad_net(text, "has a `*` that is not the first label", "write `*.example.com`, or one entry a name");
      if (!is_letter(c) && !is_digit(c) && c != '-' && c != '_')
        return bad_net(text, std::string("has a character that no host name has: `") + c + "`",
                       "write a host, as in `api.example.com`, `*.example.com:8443` or `192.0.2.0/24`");
    }
    if (dot == std::string_view::npos) break;
    rest = rest.substr(dot + 1);
    if (rest.empty()) return bad_net(text, "has an empty label", "remove the extra dot");
  }
  return done();
}

// Are all bits behind the first `bits` zero?
bool host_bits_clear(const std::uint8_t* address, unsigned bytes, unsigned bits) {
  for (unsigned bit = bits; bit < bytes * 8; ++bit)
    if (address[bit / 8] & (0x80u >> (bit % 8))) return false;
  return true;
}

std::string address_text(const NetPattern& pattern) {
  char buffer[INET6_ADDRSTRLEN] = "";
  ::inet_ntop(pattern.ipv6 ? AF_INET6 : AF_INET, pattern.address, buffer, sizeof buffer);
  return buffer;
}

// An address or a CIDR; false in `is_address` when `host` is neither.
Status parse_address(std::string_view text, std::string_view host, NetPattern& pattern, bool& is_address) {
  const std::size_t slash = host.find('/');
  const std::string_view base = host.substr(0, slash);
  is_address = parse_ipv4(base, pattern.address);
  if (!is_address && parse_ipv6(base, pattern.address)) is_address = pattern.ipv6 = true;
  if (!is_address) return done();
  const std::uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (pattern.ipv6 && std::memcmp(pattern.address, mapped, sizeof mapped) == 0)
    return bad_net(text, "is an IPv4 address in IPv6 clothes", "write it as IPv4");
  pattern.host = address_text(pattern);
  const unsigned bytes = pattern.ipv6 ? 16 : 4;
  pattern.prefix_bits = static_cast<std::uint8_t>(bytes * 8);
  pattern.kind = NetPattern::Kind::Address;
  if (slash == std::string_view::npos) return done();
  pattern.kind = NetPattern::Kind::Cidr;
  unsigned bits = 0;
  if (!parse_number(host.substr(slash + 1), bytes * 8, bits))
    return bad_net(text, "has a bad prefix length", "write `/0` to `/" + std::to_string(bytes * 8) + "`");
  if (!host_bits_clear(pattern.address, bytes, bits)) {
    NetPattern network = pattern;
    for (unsigned bit = bits; bit < bytes * 8; ++bit)
      network.address[bit / 8] = static_cast<std::uint8_t>(network.address[bit / 8] & ~(0x80u >> (bit % 8)));
    return bad_net(text, "has bits behind its prefix",
                   "write `" + address_text(network) + "/" + std::to_string(bits) + "`, or the address alone");
  }
  pattern.prefix_bits = static_cast<std::uint8_t>(bits);
  return done();
}

// Takes `:port` or `:*` off the end; `host` is what stays, without the brackets of an IPv6 address.
Status split_port(std::string_view text, std::string_view& host, NetPattern& pattern) {
  host = text;
  std::string_view port;
  bool with_port = false;
  if (text.front() == '[') {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos || text.substr(0, close).find(':') == std::string_view::npos)
      return bad_net(text, "has brackets around no IPv6 address", "write `[2001:db8::1]` or `[2001:db8::1]:443`");
    host = text.substr(1, close - 1);
    const std::string_view rest = text.substr(close + 1);
    if (!rest.empty() && rest[0] != ':')
      return bad_net(text, "has something other than a port behind its brackets", "write `[2001:db8::1]:443`");
    with_port = !rest.empty();
    if (with_port) port = rest.substr(1);
  } else if (std::count(text.begin(), text.end(), ':') == 1) {
    const std::size_t colon = text.find(':');
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
    with_port = true;
  }
  if (!with_port) return done();
  pattern.any_port = port == "*";
  unsigned number = 0;
  if (!pattern.any_port && (!parse_number(port, 65535, number) || number == 0))
    return bad_net(text, "has a bad port", "write a number from 1 to 65535, as in `example.com:8443`, or `:*`");
  if (!pattern.any_port) pattern.port = static_cast<std::uint16_t>(number);
  return done();
}

bool same_prefix(const NetPattern& a, const NetPattern& b, unsigned bits) {
  for (unsigned bit = 0; bit < bits; ++bit)
    if ((a.address[bit / 8] ^ b.address[bit / 8]) & (0x80u >> (bit % 8))) return false;
  return true;
}

bool ends_with_label(std::string_view name, std::string_view base) {
  return name.size() > base.size() && name.substr(name.size() - base.size()) == base &&
         name[name.size() - base.size() - 1] == '.';
}

}  // namespace

Result<NetPattern> NetPattern::parse(std::string_view text) {
  if (text.empty()) return bad_net(text, "is empty", "name a host, as in `api.example.com`, or remove the entry");
  if (text.size() > kMaxPatternBytes) return bad_net(text, "is longer than 1024 bytes", "shorten it");
  if (const std::size_t scheme = text.find("://"); scheme != std::string_view::npos) {
    const std::string_view rest = text.substr(scheme + 3);
    return bad_net(text, "is a URL", "write its host alone: `" + std::string(rest.substr(0, rest.find('/'))) + "`");
  }
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
    return bad_net(text, "has a `/` and is no CIDR", "write a host without a path, or `192.0.2.0/24`");
  if (host.substr(0, 2) == "*.") {
    pattern.kind = Kind::Subdomains;
    host.remove_prefix(2);
  }
  BAND_TRY(pattern.host, to_ascii(text, host));
  if (!pattern.host.empty() && pattern.host.back() == '.') pattern.host.pop_back();
  BAND_CHECK(check_name(text, pattern.host));
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
      return (inner.kind == Kind::Name || inner.kind == Kind::Subdomains) && ends_with_label(inner.host, host);
    case Kind::Address:
    case Kind::Cidr:
      return (inner.kind == Kind::Address || inner.kind == Kind::Cidr) && inner.ipv6 == ipv6 &&
             inner.prefix_bits >= prefix_bits && same_prefix(*this, inner, prefix_bits);
  }
  return false;
}

}  // namespace band
