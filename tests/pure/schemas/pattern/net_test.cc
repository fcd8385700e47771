#include <doctest/doctest.h>

#include <random>

#include "tests/pure/schemas/pattern/pattern_test.h"

using band::NetPattern;
using Kind = NetPattern::Kind;

namespace {

NetPattern pattern(std::string_view text) { return band::test::parsed<NetPattern>(text); }

// Whether an allow rule opens a connection to `host` (a name, or an IPv4 address in dotted form) at `port`: the
// reference implementation of the property test.
bool opens(const NetPattern& p, const std::string& host, int port) {
  const bool port_fits = p.any_port || (p.port ? *p.port == port : port == 443 || port == 80);
  if (!port_fits) return false;
  const auto address = NetPattern::parse(host).value();
  const bool is_address = address.kind == Kind::Address;
  switch (p.kind) {
    case Kind::Any:
      return true;
    case Kind::Name:
      return !is_address && p.host == host;
    case Kind::Subdomains: {
      const std::string tail = "." + p.host;
      return !is_address && host.size() > tail.size() &&
             host.compare(host.size() - tail.size(), tail.size(), tail) == 0;
    }
    case Kind::Address:
    case Kind::Cidr: {
      if (!is_address) return false;
      const int shift = 32 - p.range.bits;
      return shift == 32 || p.range.network.v4_number() >> shift == address.range.network.v4_number() >> shift;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("a net pattern is read as written") {
  struct Row {
    std::string text;
    Kind kind;
    const char* host;
    bool any_port;
    int port;  // 0: none
    int bits;
  };
  const Row rows[] = {
      {"api.github.com", Kind::Name, "api.github.com", false, 0, 0},
      {"API.GitHub.com.", Kind::Name, "api.github.com", false, 0, 0},
      {"localhost:5432", Kind::Name, "localhost", false, 5432, 0},
      {"db:*", Kind::Name, "db", true, 0, 0},
      {"_dmarc.example.com", Kind::Name, "_dmarc.example.com", false, 0, 0},
      {"*.github.com", Kind::Subdomains, "github.com", false, 0, 0},
      {"*.GitHub.com.:8443", Kind::Subdomains, "github.com", false, 8443, 0},
      {"*", Kind::Any, "", false, 0, 0},
      {"*:*", Kind::Any, "", true, 0, 0},
      {"*:22", Kind::Any, "", false, 22, 0},
      {"192.0.2.1", Kind::Address, "192.0.2.1", false, 0, 32},
      {"192.0.2.1:65535", Kind::Address, "192.0.2.1", false, 65535, 32},
      {"10.0.0.0/8", Kind::Cidr, "10.0.0.0", false, 0, 8},
      {"10.0.0.0/8:*", Kind::Cidr, "10.0.0.0", true, 0, 8},
      {"0.0.0.0/0", Kind::Cidr, "0.0.0.0", false, 0, 0},
      {"[2001:DB8::1]", Kind::Address, "2001:db8::1", false, 0, 128},
      {"[2001:db8::1]:443", Kind::Address, "2001:db8::1", false, 443, 128},
      {"2001:db8::/32", Kind::Cidr, "2001:db8::", false, 0, 32},
      {"[2001:db8::/32]:8080", Kind::Cidr, "2001:db8::", false, 8080, 32},
      {"b\xc3\xbc"
       "cher.example",
       Kind::Name, "xn--bcher-kva.example", false, 0, 0},
      {"*.B\xc3\x9c"
       "CHER.example",
       Kind::Subdomains, "xn--bcher-kva.example", false, 0, 0},
      {"xn--bcher-kva.example", Kind::Name, "xn--bcher-kva.example", false, 0, 0},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const NetPattern p = pattern(row.text);
    CHECK(p.kind == row.kind);
    CHECK(p.host == row.host);
    CHECK(p.any_port == row.any_port);
    CHECK(p.port.value_or(0) == row.port);
    CHECK(p.range.bits == row.bits);
    CHECK(p.text == row.text);
  }
}

TEST_CASE("a bad net pattern is refused with a hint") {
  struct Row {
    std::string text;
    const char* what;
    const char* hint;
  };
  const Row rows[] = {
      {"", "is empty", "api.example.com"},
      {"https://api.github.com/x", "is a URL", "`api.github.com`"},
      {"https://api.github.com:8443?q#f", "is a URL", "alone: `api.github.com:8443`"},
      {"https:///x", "is a URL", "alone, as in `api.example.com`"},
      {"https://u:pw@h.example/x", "is a URL", "alone: `h.example`"},
      {"https://u@", "is a URL", "alone, as in `api.example.com`"},
      {"http://http://a", "is a URL", "alone, as in `api.example.com`"},
      {"host:443/path", "path after its port", "alone: `host:443`"},
      {"host:0/path", "path after its port", "alone, as in `api.example.com`"},
      {"[2001:db8::]/32", "an address with a prefix", "`2001:db8::/32`"},
      {"api.github.com/x", "`/`", "without a path"},
      {"foo.*.com", "not the first label", "*.example.com"},
      {"a*.com", "not the first label", "*.example.com"},
      {"*.*.com", "not the first label", "*.example.com"},
      {"user@host", "a host name cannot have", "write a host"},
      {"a b", "a host name cannot have", "write a host"},
      {std::string("a\0b", 3), "a host name cannot have", "write a host"},
      {std::string("b\xc3\xbc.example\0.evil.com", 20), "a host name cannot have", "write a host"},
      {"a..b", "empty label", "extra dot"},
      {"a..", "empty label", "extra dot"},
      {".a", "empty label", "extra dot"},
      {".", "no host", "name one"},
      {"*.", "no host", "name one"},
      {":443", "no host", "name one"},
      {"-a.com", "`-`", "remove"},
      {"a-.com", "`-`", "remove"},
      {"host:0", "bad port", "1 to 65535"},
      {"host:65536", "bad port", "1 to 65535"},
      {"host:080", "bad port", "1 to 65535"},
      {"host:", "bad port", "1 to 65535"},
      {"host:http", "bad port", "1 to 65535"},
      {"127.1", "not an IPv4 address", "four decimal"},
      {"2130706433", "not an IPv4 address", "four decimal"},
      {"0x7f.1", "not an IPv4 address", "four decimal"},
      {"0x7f000001", "not an IPv4 address", "four decimal"},
      {"010.0.0.1", "not an IPv4 address", "four decimal"},
      {"1.2.3.256", "not an IPv4 address", "four decimal"},
      {"1.2.3.4.", "not an IPv4 address", "four decimal"},
      {"*.1", "not an IPv4 address", "four decimal"},
      {"10.0.0.1/8", "after its prefix", "`10.0.0.0/8`"},
      {"10.0.0.0/33", "prefix length", "/32"},
      {"10.0.0.0/", "prefix length", "/32"},
      {"::1/129", "prefix length", "/128"},
      {"[::ffff:10.0.0.1]", "IPv4-mapped IPv6", "as IPv4"},
      {"[localhost]", "brackets", "2001:db8"},
      {"[::1", "brackets", "2001:db8"},
      {"[::1]443", "after its brackets", "443"},
      {"[fe80::1%eth0]", "a host name cannot have", "write a host"},
      {std::string(64, 'a') + ".com", "63", "shorten"},
      {std::string(2000, 'a'), "1024", "shorten"},
      {"\xff.com", "UTF-8", "UTF-8"},
      {"a\xc2\xad\xe2\x80\x8e.com", "internationalised", "xn--"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    auto parsed = NetPattern::parse(row.text);
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.error().code == band::Code::SkillInvalid);
    CHECK_MESSAGE(parsed.error().message().find(row.what) != std::string::npos, parsed.error().message());
    CHECK_MESSAGE(parsed.error().hint.find(row.hint) != std::string::npos, parsed.error().hint);
  }
  std::string name = "a";
  while (name.size() < 252) name += ".a";
  CHECK(NetPattern::parse(name).ok());
  CHECK_FALSE(NetPattern::parse(name + "b.a").ok());
}

TEST_CASE("a prefix of zero bits is valid") { CHECK(pattern("::/0").range.bits == 0); }

TEST_CASE("covers for listed pairs") {
  band::test::check_covers<NetPattern>({
      {"*", "api.github.com", true},
      {"*", "10.0.0.0/8", true},
      {"*", "api.github.com:8443", false},
      {"*:*", "api.github.com:8443", true},
      {"*.github.com", "api.github.com", true},
      {"*.github.com", "a.b.github.com", true},
      {"*.github.com", "github.com", false},
      {"*.github.com", "notgithub.com", false},
      {"*.github.com", "*.api.github.com", true},
      {"*.github.com", "*.github.com:443", true},
      {"*.api.github.com", "*.github.com", false},
      {"a.com", "a.com:80", true},
      {"a.com:443", "a.com", false},
      {"a.com:*", "a.com", true},
      {"a.com", "a.com:*", false},
      {"10.0.0.0/8", "10.1.2.3", true},
      {"10.0.0.0/8", "10.1.0.0/16", true},
      {"10.1.0.0/16", "10.0.0.0/8", false},
      {"10.0.0.0/8", "11.0.0.1", false},
      {"10.0.0.0/8", "a.com", false},
      {"0.0.0.0/0", "[::1]", false},
      {"2001:db8::/32", "[2001:db8::1]", true},
      {"10.0.0.1/32", "10.0.0.1", true},
      {"10.0.0.1", "10.0.0.1/32", true},
  });
}

TEST_CASE("property: covers is sound, and overlaps are found") {
  std::mt19937 engine(7);
  const auto pick = [&](const std::vector<std::string>& from) { return from[engine() % from.size()]; };
  const std::vector<std::string> names{"a", "b.a", "c.b.a", "ba", "10.0.0.1", "10.1.0.1", "11.0.0.1"};
  const std::vector<std::string> hosts{"a", "b.a",      "c.b.a",      "ba",          "*.a",        "*.b.a",
                                       "*", "10.0.0.1", "10.0.0.0/8", "10.1.0.0/16", "10.0.0.0/7", "0.0.0.0/0"};
  const std::vector<std::string> ports{"", ":*", ":80", ":443", ":22"};
  int covered = 0;
  for (int round = 0; round < 4000; ++round) {
    const NetPattern outer = pattern(pick(hosts) + pick(ports)), inner = pattern(pick(hosts) + pick(ports));
    bool meet = false;
    for (const std::string& name : names)
      for (const int port : {80, 443, 22, 8080}) {
        meet = meet || (opens(inner, name, port) && opens(outer, name, port));
        if (outer.covers(inner) && opens(inner, name, port) && !opens(outer, name, port))
          FAIL_CHECK(outer.text, " covers ", inner.text, " but not ", name, ":", port);
      }
    covered += outer.covers(inner);
    // If two of these patterns overlap, one of the names above matches both.
    CHECK_MESSAGE(outer.may_overlap(inner) == meet, outer.text, " and ", inner.text);
    CHECK(outer.may_overlap(inner) == inner.may_overlap(outer));
  }
  CHECK(covered > 300);
}

TEST_CASE("localhost and 127.0.0.1 overlap") {
  for (const char* other : {"127.0.0.1", "127.0.0.0/8", "localhost:80", "*", "0.0.0.0/0:*"})
    CHECK(pattern("localhost").may_overlap(pattern(other)));
  for (const char* other : {"127.0.0.2", "127.0.0.1:22", "*.localhost", "a.localhost", "[::1]"})
    CHECK_FALSE(pattern("localhost").may_overlap(pattern(other)));
}

TEST_CASE("one_host accepts a name or an address, with a port or without") {
  for (const char* text :
       {"a.example", "A.Example:80", "192.0.2.1", "192.0.2.1:8080", "[2001:db8::1]:443", "localhost"})
    CHECK_MESSAGE(band::one_host(text).has_value(), text);
  for (const char* text : {"", "*", "*.example", "a.example:*", "10.0.0.0/8", "a.example:0", "http://a.example", "a b"})
    CHECK_MESSAGE(!band::one_host(text).has_value(), text);
}
