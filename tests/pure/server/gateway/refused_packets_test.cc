#include "server/gateway/refused_packets.h"

#include <doctest/doctest.h>
#include <netinet/in.h>

#include <string>

#include "server/gateway/names.h"

using namespace band;
using namespace band::gateway;

namespace {

std::optional<Packet> read(const std::string& bytes) {
  return read_packet({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

// IPv4 from 127.0.0.1 to 8.8.8.8, with `words` 32-bit words of header.
std::string packet(char protocol, int words = 5, const std::string& fragment = std::string(2, '\0')) {
  std::string bytes = std::string(1, static_cast<char>(0x40 | words)) + std::string(5, '\0') + fragment + "\x40" +
                      protocol + std::string(2, '\0') + std::string("\x7f\0\0\1\x08\x08\x08\x08", 8);
  bytes.resize(static_cast<std::size_t>(std::max(words, 5)) * 4, '\0');
  return bytes + std::string("\x12\x34\x01\xbb", 4);
}

}  // namespace

TEST_CASE("a logged packet's address, protocol and port are read, and no byte after its end") {
  const auto udp = read(packet(IPPROTO_UDP));
  REQUIRE(udp);
  CHECK(udp->to.text() == "8.8.8.8");
  CHECK(udp->protocol == IPPROTO_UDP);
  CHECK(udp->port == 443);
  CHECK(read(packet(IPPROTO_TCP, 15))->port == 443);                       // options
  CHECK(read(packet(IPPROTO_TCP, 5, std::string("\0\1", 2)))->port == 0);  // not the first fragment
  CHECK(read(packet(IPPROTO_ICMP))->port == 0);
  CHECK_FALSE(read(packet(IPPROTO_TCP, 4)));
  CHECK_FALSE(read("\x60" + packet(IPPROTO_TCP).substr(1)));
  const std::string whole = packet(IPPROTO_TCP);
  for (std::size_t size = 0; size < 20; ++size) CHECK_FALSE(read(whole.substr(0, size)));
  for (std::size_t size = 20; size < 24; ++size) CHECK(read(whole.substr(0, size))->port == 0);
}

TEST_CASE("made-up addresses are assigned in order, one per name, up to the limit") {
  Names names(3);
  CHECK(names.address_of("a")->text() == "198.18.0.1");
  CHECK(names.address_of("b")->text() == "198.18.0.2");
  CHECK(names.address_of("a")->text() == "198.18.0.1");
  CHECK(names.address_of("c")->text() == "198.18.0.3");
  CHECK_FALSE(names.address_of("d"));
  CHECK(*names.name_of(*IpAddress::parse("198.18.0.2")) == "b");
  for (const char* none : {"198.18.0.0", "198.18.0.4", "198.19.255.254", "198.20.0.1", "127.0.0.1"})
    CHECK(names.name_of(*IpAddress::parse(none)) == nullptr);
  CHECK(Names::made_up(*IpAddress::parse("198.19.255.255")));
  CHECK_FALSE(Names::made_up(*IpAddress::parse("198.20.0.0")));
}
