#include "schemas/address/special_addresses.h"

#include <doctest/doctest.h>

using namespace band;

namespace {

std::string use(std::string_view text) {
  const auto address = IpAddress::parse(text);
  REQUIRE_MESSAGE(address, text);
  return special_use(*address);
}

bool metadata(std::string_view text) { return is_metadata(IpAddress::parse(text).value()); }

}  // namespace

TEST_CASE("public addresses are ordinary, up to the edges of the special blocks") {
  for (const char* text : {"1.0.0.0",
                           "9.255.255.255",
                           "11.0.0.0",
                           "100.63.255.255",
                           "100.128.0.0",
                           "126.255.255.255",
                           "128.0.0.0",
                           "169.253.255.255",
                           "169.255.0.0",
                           "172.15.255.255",
                           "172.32.0.0",
                           "192.0.1.0",
                           "192.0.3.0",
                           "192.167.255.255",
                           "192.169.0.0",
                           "198.17.255.255",
                           "198.20.0.0",
                           "198.51.99.255",
                           "203.0.112.255",
                           "223.255.255.255",
                           "93.184.216.34",
                           "8.8.8.8",
                           "168.63.129.15",
                           "2606:2800:220:1::1",
                           "2a00:1450::1",
                           "2001:4860:4860::8888",
                           "2001:200::",
                           "2003::",
                           "2001:db7:ffff::",
                           "2001:db9::",
                           "4000::",
                           "65::",
                           "ff::",
                           "fbff::1",
                           "101::"}) {
    CAPTURE(text);
    CHECK(use(text) == "");
    CHECK_FALSE(metadata(text));
  }
}

TEST_CASE("the use of every special block is named, for its first and last address") {
  const struct {
    const char *first, *last, *use;
  } blocks[] = {
      {"0.0.0.0", "0.255.255.255", "\"this network\" (RFC 791)"},
      {"10.0.0.0", "10.255.255.255", "private (RFC 1918)"},
      {"100.64.0.0", "100.127.255.255", "shared by a provider's customers (CGNAT, RFC 6598)"},
      {"127.0.0.0", "127.255.255.255", "loopback"},
      {"169.254.0.0", "169.254.255.255", "link-local"},
      {"172.16.0.0", "172.31.255.255", "private (RFC 1918)"},
      {"192.0.0.0", "192.0.0.255", "for protocols (RFC 6890)"},
      {"192.0.2.0", "192.0.2.255", "for documentation (TEST-NET-1)"},
      {"192.88.99.0", "192.88.99.255", "6to4 relay anycast"},
      {"192.168.0.0", "192.168.255.255", "private (RFC 1918)"},
      {"198.18.0.0", "198.19.255.255", "for benchmarks (RFC 2544)"},
      {"198.51.100.0", "198.51.100.255", "for documentation (TEST-NET-2)"},
      {"203.0.113.0", "203.0.113.255", "for documentation (TEST-NET-3)"},
      {"224.0.0.0", "239.255.255.255", "multicast"},
      {"240.0.0.0", "255.255.255.254", "reserved"},
      {"255.255.255.255", "255.255.255.255", "broadcast"},
      {"::", "::", "the unspecified address"},
      {"::1", "::1", "loopback"},
      {"::2", "::ffff:ffff", "an IPv4 address in an IPv6 one (compatible)"},
      {"::ffff:0.0.0.0", "::ffff:255.255.255.255", "an IPv4 address in an IPv6 one (mapped)"},
      {"::ffff:0:0:0", "::ffff:0:ffff:ffff", "an IPv4 address in an IPv6 one (translated)"},
      {"64:ff9b::", "64:ff9b::ffff:ffff", "an IPv4 address in an IPv6 one (NAT64)"},
      {"64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "an IPv4 address in an IPv6 one (local NAT64)"},
      {"100::", "100::ffff:ffff:ffff:ffff", "a black hole (RFC 6666)"},
      {"2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", "an IPv4 address in an IPv6 one (Teredo)"},
      {"2001:1::", "2001:1:ffff::", "for protocols (RFC 2928)"},
      {"2001:2::", "2001:2:0:ffff::", "for benchmarks (RFC 5180)"},
      {"2001:10::", "2001:2f:ffff::", "ORCHID"},
      {"2001:30::", "2001:1ff:ffff::", "for protocols (RFC 2928)"},
      {"2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "for documentation"},
      {"2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "an IPv4 address in an IPv6 one (6to4)"},
      {"3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "for documentation"},
      {"5f00::", "5f00:ffff::", "SRv6"},
      {"fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "private (RFC 4193)"},
      {"fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "link-local"},
      {"fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "site-local"},
      {"ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "multicast"},
  };
  for (const auto& block : blocks) {
    CAPTURE(block.first);
    CHECK(use(block.first) == block.use);
    CHECK(use(block.last) == block.use);
  }
}

TEST_CASE("metadata services are recognised by address, also public and embedded ones") {
  for (const char* text : {"169.254.169.254", "169.254.170.2", "169.254.170.23", "168.63.129.16", "100.100.100.200",
                           "192.0.0.192", "fd00:ec2::254", "fd20:ce::254", "fe80::a9fe:a9fe", "::ffff:169.254.169.254",
                           "::169.254.169.254", "64:ff9b::a9fe:a9fe", "64:ff9b::168.63.129.16", "64:ff9b:1::a9fe:a9fe",
                           "2002:a9fe:a9fe::1", "2001:0:1:2:3:4:5601:5601", "::ffff:0:169.254.169.254"}) {
    CAPTURE(text);
    CHECK(metadata(text));
    CHECK(use(text) == "a cloud's metadata service");
  }
  for (const char* text : {"169.254.169.1", "10.0.0.1", "::ffff:8.8.8.8", "fd00:ec2::1", "2606:4700::a9fe:a9fe"}) {
    CAPTURE(text);
    CHECK_FALSE(metadata(text));
  }
}

TEST_CASE("a range is special if all its addresses have the same use") {
  const auto use = [](const char* text) { return special_use(band::Cidr::parse(text).value()); };
  CHECK(use("10.1.0.0/16") == "private (RFC 1918)");
  CHECK(use("127.0.0.0/8") == "loopback");
  CHECK(use("169.254.169.254/32") == "a cloud's metadata service");
  for (const char* mixed : {"0.0.0.0/0", "8.8.8.0/24", "10.0.0.0/7", "::/0", "2000::/3"}) CHECK(use(mixed) == "");
}
