#include "schemas/address/ip_address.h"

#include <doctest/doctest.h>

#include <random>

#include "schemas/address/host_name.h"

using band::canonical_name;
using band::Cidr;
using band::IpAddress;

TEST_CASE("an address has the standard text form") {
  for (const char* text : {"0.0.0.0", "192.0.2.1", "255.255.255.255", "::", "::1", "2001:db8::1", "::ffff:10.0.0.1"})
    CHECK(IpAddress::parse(text)->text() == text);
  CHECK(IpAddress::parse("2001:DB8:0::1")->text() == "2001:db8::1");
  for (const std::string text :
       {"", "1", "127.1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "0x7f.0.0.1", "1.2.3.4 ", " 1.2.3.4",
        "1.2.3.-4", "1.2.3.+4", ":::", "::1%lo", "[::1]", "1::2::3", "a.b.c.d"}) {
    CAPTURE(text);
    CHECK_FALSE(IpAddress::parse(text).has_value());
  }
  CHECK_FALSE(IpAddress::parse(std::string("::1\0x", 5)).has_value());
  CHECK(IpAddress::v4(0x7f000001).text() == "127.0.0.1");
  CHECK(IpAddress::parse("192.0.2.1")->v4_number() == 0xc0000201);
  CHECK(IpAddress::parse("::ffff:10.0.0.1")->unmapped().text() == "10.0.0.1");
  CHECK(IpAddress::parse("::fffe:10.0.0.1")->unmapped().ipv6);
  CHECK(IpAddress::parse("::1")->text_with_port(80) == "[::1]:80");
  CHECK(IpAddress::parse("10.0.0.1")->text_with_port(80) == "10.0.0.1:80");
}

TEST_CASE("a range has no bits set after its prefix") {
  CHECK(Cidr::parse("10.0.0.0/8")->text() == "10.0.0.0/8");
  CHECK(Cidr::parse("10.0.0.1")->text() == "10.0.0.1/32");
  CHECK(Cidr::parse("::/0")->bits == 0);
  for (const char* bad : {"10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/", "/8", "::1/129", "a/8", "10/8"})
    CHECK_FALSE(Cidr::parse(bad).has_value());
  CHECK_FALSE(Cidr::parse("0.0.0.0/0")->contains(*IpAddress::parse("::1")));
  CHECK_FALSE(Cidr::parse("::/0")->contains(*IpAddress::parse("10.0.0.1")));
}

TEST_CASE("property: a range contains the addresses that share its leading bits") {
  std::mt19937 engine(11);
  for (int round = 0; round < 20'000; ++round) {
    const auto base = static_cast<std::uint32_t>(engine()), flipped = base ^ (1u << (engine() % 32));
    const auto bits = static_cast<std::uint8_t>(engine() % 33);
    const Cidr range = Cidr{IpAddress::v4(base), bits}.cleared();
    const bool same = bits == 0 || base >> (32 - bits) == flipped >> (32 - bits);
    CHECK(range.contains(IpAddress::v4(flipped)) == same);
    CHECK(range.contains(IpAddress::v4(base)));
    CHECK(range.contains(Cidr{IpAddress::v4(base), 32}));
    CHECK(Cidr::parse(range.text()) == range);
  }
}

TEST_CASE("a name has one canonical spelling") {
  for (const char* text : {"b\xc3\xbc"
                           "cher.example",
                           "B\xc3\x9c"
                           "CHER.EXAMPLE.",
                           "xn--bcher-kva.example", "XN--BCHER-KVA.Example.",
                           "bu\xcc\x88"
                           "cher.example",
                           "b\xc3\xbc"
                           "cher\xe3\x80\x82"
                           "example"})
    CHECK(canonical_name(text).value() == "xn--bcher-kva.example");
  CHECK(canonical_name("localhost").value() == "localhost");
}

TEST_CASE("invalid names, and numbers in other digits, are refused") {
  const std::string fullwidth = "\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.0.0.1";  // 127 in full-width digits
  for (const std::string& text : {std::string(),
                                  std::string("."),
                                  std::string("a..b"),
                                  std::string("a.."),
                                  std::string("127.0.0.1"),
                                  std::string("127.1"),
                                  std::string("0x7f.1"),
                                  std::string("2130706433"),
                                  std::string("::1"),
                                  std::string("a b"),
                                  std::string("a\n"),
                                  std::string("a:443"),
                                  std::string("a/b"),
                                  std::string("*"),
                                  std::string("*.a"),
                                  std::string("\xef\xbc\x8a.example"),
                                  std::string("a\0.b", 4),
                                  std::string("b\xc3\xbc\0.b", 6),
                                  fullwidth,
                                  std::string(64, 'a'),
                                  std::string(254, 'a'),
                                  std::string(100'000, 'a'),
                                  std::string("\xff.a")}) {
    CAPTURE(text);
    CHECK_FALSE(canonical_name(text).ok());
  }
}
