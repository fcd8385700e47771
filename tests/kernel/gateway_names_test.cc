// band-gateway: which names exist, which connections are made, and to which addresses.
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/fsuid.h>
#include <sys/socket.h>

#include <cerrno>

#include "tests/kernel/gateway_world.h"

using namespace band;
using namespace band::test;
using Kind = gateway::Event::Kind;

namespace {

const std::string kBack = "hello\n";

gateway::Policy& with_private(gateway::Policy& plan, const std::string& range) {
  plan.config.allow_private.push_back(*Cidr::parse(range));
  return plan;
}

}  // namespace

TEST_CASE("a name that a rule allows is reached through a made-up address, and any other name does not exist") {
  Dns dns;
  dns.set("db.example", {"5.5.5.5"});
  const Upstream server("5.5.5.5", 5432, echo);
  Served served({"db.example:5432"}, {"*.db.example"});
  CHECK(resolve("evil.example") == "NXDOMAIN");
  CHECK(served.reported("evil.example refused (not in allow.net)"));
  CHECK(resolve("x.db.example") == "NXDOMAIN");
  CHECK(resolve("db.example", 28) == "empty");
  CHECK(dns.asked("db.example") == 0);  // no part of a query leaves the machine
  const std::string address = resolve("db.example");
  CHECK(address == "198.18.0.1");
  CHECK(resolve("DB.EXAMPLE") == address);
  const Wire wire = connect(address, 5432);
  REQUIRE(wire);
  CHECK(wire.send("hello\n"));
  CHECK(wire.read(6) == "hello\n");
  CHECK(dns.asked("db.example") == 1);
  wire.end();
  CHECK(wire.rest() == "");
  CHECK(served.reported("db.example:5432"));
  const auto events = served.end();
  INFO(served.texts());
  REQUIRE(events.size() == 4);
  CHECK(events[2].kind == Kind::Relayed);
  CHECK(events[2].open);
  CHECK(events[3].host == "db.example");
  CHECK(events[3].address == "5.5.5.5");
  CHECK(events[3].up == 6);
  CHECK(events[3].down == 6);
  CHECK_FALSE(events[3].open);
}

TEST_CASE("refused DNS queries for addresses are reported, and refused queries of other types are not") {
  Served served({"db.example:5432"});
  for (const int type : {12 /* PTR */, 16 /* TXT */, 33 /* SRV */})
    CHECK(resolve("type" + std::to_string(type) + ".example", type) == "NXDOMAIN");
  for (const int type : {1 /* A */, 28 /* AAAA */, 65 /* HTTPS */, 255 /* ANY */})
    CHECK(resolve("type" + std::to_string(type) + ".example", type) == "NXDOMAIN");
  std::string refused;
  for (const auto& event : served.end())
    if (event.kind == Kind::Refused) refused += event.host + " ";
  CHECK(refused == "type1.example type28.example type65.example type255.example ");
}

TEST_CASE(
    "connections to another port or to an address without a rule, and UDP, are refused immediately, and the reason is "
    "reported") {
  const Upstream server("5.5.5.5", 5433, echo);
  Served served({"db.example:5432"});
  const std::string address = resolve("db.example");
  CHECK(said_back(address, 5433) == "(refused)");
  CHECK(served.reported("db.example:5433 refused (allow.net does not allow this port; write db.example:5433)"));
  CHECK(said_back("5.5.5.5", 5433) == "(refused)");
  CHECK(served.reported("5.5.5.5:5433 refused (no rule)"));
  CHECK(said_back("198.18.7.7", 5432) == "(reset)");
  CHECK(served.reported("198.18.7.7:5432 refused (the sandbox's resolver has not assigned this address to any name)"));
  CHECK(said_back("127.0.0.1", 1) == "(refused)");  // the relay itself
  base::Fd udp;
  in(Place::Slot, [&] {
    ::setfsuid(kSlotUid);
    udp.reset(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ::setfsuid(0);
  });
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(443);
  to.sin_addr.s_addr = htonl(0x08080808);
  (void)::sendto(udp.get(), "x", 1, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  CHECK(served.reported("8.8.8.8:443/udp refused (only TCP is forwarded)"));
  // A repeated refusal is reported once, and counted at the end.
  for (int i = 0; i < 3; ++i) CHECK(said_back("5.5.5.5", 5433) == "(refused)");
  std::uint64_t count = 0;
  for (const auto& event : served.end())
    if (event.text == "5.5.5.5:5433 refused (no rule)") count += event.count;
  CHECK(count == 4);
  CHECK(server.connections() == 0);
}

TEST_CASE(
    "a name that resolves to a special address and to public addresses is refused; a name with only public addresses "
    "is reached") {
  Dns dns;
  const Upstream server("5.5.5.5", 7000, echo), inner("10.1.2.3", 7000, echo), metadata("169.254.169.254", 7000, echo);
  dns.set("good.example", {"5.5.5.5"});
  dns.set("mixed.example", {"5.5.5.5", "10.1.2.3"});
  dns.set("mixed6.example", {"5.5.5.5", "::1"});
  dns.set("clouds.example", {"169.254.169.254"});
  dns.set("own.example", {"5.5.4.1"});
  Served served({"*.example:7000", "169.254.169.254:7000"}, {},
                [](auto& plan) { with_private(plan, "169.254.0.0/16"); });
  CHECK(said_back(resolve("good.example"), 7000) == kBack);  // the control
  CHECK(said_back(resolve("mixed.example"), 7000) == "(reset)");
  CHECK(served.reported(
      "resolves to 10.1.2.3, which is private (RFC 1918); the server's gateway.allow_private does not contain it"));
  CHECK(said_back(resolve("mixed6.example"), 7000) == "(reset)");
  CHECK(served.reported("mixed6.example:7000 refused (resolves to ::1, which is"));
  CHECK(said_back(resolve("clouds.example"), 7000) == "(reset)");
  CHECK(said_back("169.254.169.254", 7000) == "(reset)");
  CHECK(served.reported("169.254.169.254:7000 refused (is a cloud's metadata service)"));
  CHECK(said_back(resolve("own.example"), 7000) == "(reset)");
  CHECK(served.reported("own.example:7000 refused (resolves to 5.5.4.1, which is this machine's own"));
  CHECK(inner.connections() == 0);
  CHECK(metadata.connections() == 0);
}

TEST_CASE("a ceiling that names a private address does not open it to a band with `*`") {
  Dns dns;
  dns.set("inner.example", {"10.1.2.3"});
  const Upstream server("10.1.2.3", 7005, echo);
  for (const bool named : {true, false}) {  // the control: the band names the address
    CAPTURE(named);
    Served served({"*:*"}, {}, [&](auto& plan) {
      with_private(plan, "10.0.0.0/8");
      if (named) plan.net.opened.front().push_back({"10.1.2.3:7005", "s/BAND.md:3"});
      plan.net.opened.push_back({{"*:*", "server.yaml:2"}, {"10.1.2.3:7005", "server.yaml:3"}});
      plan.net.of_ceiling = 1;
    });
    CHECK(said_back("10.1.2.3", 7005) == (named ? kBack : "(reset)"));
    CHECK(said_back(resolve("inner.example"), 7005) == (named ? kBack : "(reset)"));
  }
}

TEST_CASE("a private address is reached if a rule names this address and gateway.allow_private includes it") {
  Dns dns;
  const Upstream inner("10.1.2.3", 7001, echo);
  dns.set("inner.example", {"10.1.2.3"});
  const auto reached = [&](const std::vector<std::string>& rules, bool opened) {
    Served served(rules, {}, [&](auto& plan) {
      if (opened) with_private(plan, "10.0.0.0/8");
    });
    return said_back("10.1.2.3", 7001) + said_back(resolve("inner.example"), 7001);
  };
  CHECK(reached({"10.1.0.0/16:7001", "inner.example:7001"}, true) == kBack + kBack);
  CHECK(reached({"10.1.0.0/16:7001", "inner.example:7001"}, false) == "(reset)(reset)");
  CHECK(reached({"inner.example:7001"}, true) == "(refused)(reset)");
}

TEST_CASE("localhost reaches this machine if the operator allows it, except for the port of band's own server") {
  const Upstream own("127.0.0.1", 7002, echo, Place::Machine), server("127.0.0.1", 7003, echo, Place::Machine);
  const auto change = [](gateway::Policy& plan) { with_private(plan, "127.0.0.1/32").server_port = 7003; };
  Served served({"localhost:7002", "localhost:7003"}, {}, change);
  CHECK(said_back("127.0.0.1", 7002) == kBack);
  CHECK(said_back("127.0.0.1", 7003) == "(reset)");
  CHECK(served.reported("private or local, and the port is that of band's own server"));
  CHECK(server.connections() == 0);
}

TEST_CASE(
    "for each connection the gateway makes one lookup and dials the address that it checked, so DNS rotation cannot "
    "substitute another one") {
  Dns dns;
  const Upstream first("5.5.5.5", 7004, [](Wire& wire) { wire.send("first\n"); });
  const Upstream second("5.5.5.6", 7004, [](Wire& wire) { wire.send("other\n"); });
  dns.rotate("turns.example", {{"5.5.5.5"}, {"5.5.5.6"}, {"10.1.2.3"}, {"5.5.5.5"}});
  Served served({"turns.example:7004"});
  const std::string address = resolve("turns.example");
  CHECK(connect(address, 7004).read(6) == "first\n");
  CHECK(connect(address, 7004).read(6) == "other\n");
  CHECK(said_back(address, 7004) == "(reset)");
  CHECK(connect(address, 7004).read(6) == "first\n");
  CHECK(dns.asked("turns.example") == 4);
  CHECK(resolve("turns.example") == address);
}

TEST_CASE("CNAMEs are followed and not compared with the rules; search domains are not used; /etc/hosts is used") {
  Dns dns;
  const Upstream server("5.5.5.5", 7005, echo), hosts("5.5.5.6", 7005, echo);
  dns.set("alias.example", {">real.example"});
  dns.set("real.example", {"5.5.5.5"});
  Served served({"alias.example:7005", "hosts.example:7005", "single:7005", "gone.example:7005"});
  CHECK(said_back(resolve("alias.example"), 7005) == kBack);
  CHECK(resolve("real.example") == "NXDOMAIN");
  CHECK(said_back(resolve("hosts.example"), 7005) == kBack);
  CHECK(dns.asked("hosts.example") == 0);
  CHECK(said_back(resolve("single"), 7005) == "(reset)");
  CHECK(served.reported("single:7005 failed: not found"));
  CHECK(dns.asked("single") == 1);
  CHECK(dns.asked("single.wrong.example") == 0);
  CHECK(said_back(resolve("gone.example"), 7005) == "(reset)");
  CHECK(dns.asked("gone.example.wrong.example") == 0);
}

TEST_CASE("a deny rule for an address applies to names that resolve to this address") {
  Dns dns;
  const Upstream server("5.5.5.5", 7006, echo);
  dns.set("cdn.example", {"5.5.5.5"});
  Served served({"cdn.example:7006"}, {"5.5.5.0/24"});
  CHECK(said_back(resolve("cdn.example"), 7006) == "(reset)");
  CHECK(served.reported("resolves to 5.5.5.5, which deny.net denies"));
  CHECK(server.connections() == 0);
}

TEST_CASE("a name in gateway.resolve is connected to the configured address and port, without a lookup") {
  Dns dns;
  const Upstream inner("10.1.2.3", 7008, echo);
  Served served({"word.example:7007"}, {}, [](gateway::Policy& plan) {
    plan.config.resolve.push_back({"word.example", *IpAddress::parse("10.1.2.3"), 7008});
  });
  CHECK(said_back(resolve("word.example"), 7007) == kBack);
  CHECK(dns.asked("word.example") == 0);
}

TEST_CASE(
    "gateway.resolve does not lead to band's own server, to a metadata service, or to an address that is denied") {
  const Upstream own("127.0.0.1", 7012, echo, Place::Machine), server("127.0.0.1", 7013, echo, Place::Machine);
  const Upstream metadata("169.254.169.254", 7012, echo), denied("10.1.2.3", 7012, echo);
  const auto change = [](gateway::Policy& plan) {
    plan.server_port = 7013;
    plan.config.resolve = {{"own.example", *IpAddress::parse("127.0.0.1"), std::nullopt},
                           {"port.example", *IpAddress::parse("127.0.0.1"), 7013},
                           {"clouds.example", *IpAddress::parse("169.254.169.254"), std::nullopt},
                           {"denied.example", *IpAddress::parse("10.1.2.3"), std::nullopt}};
  };
  Served served({"*.example:7012", "*.example:7013"}, {"10.0.0.0/8"}, change);
  CHECK(said_back(resolve("own.example"), 7012) == kBack);  // the control
  CHECK(said_back(resolve("own.example"), 7013) == "(reset)");
  CHECK(said_back(resolve("port.example"), 7012) == "(reset)");
  CHECK(
      served.reported("port.example:7012 refused (resolves to 127.0.0.1, which is private or local, and the port is "
                      "that of band's own server)"));
  CHECK(server.connections() == 0);
  CHECK(said_back(resolve("clouds.example"), 7012) == "(reset)");
  CHECK(metadata.connections() == 0);
  CHECK(said_back(resolve("denied.example"), 7012) == "(reset)");
  CHECK(served.reported("resolves to 10.1.2.3, which deny.net denies"));
  CHECK(denied.connections() == 0);
}

TEST_CASE("a report with thousands of refused names still has the refused connections") {
  Served served({"db.example:5432"});
  for (int i = 0; i < 1'100; ++i) CHECK(resolve("junk" + std::to_string(i) + ".example") == "NXDOMAIN");
  CHECK(said_back("5.5.5.5", 5433) == "(refused)");
  CHECK(served.reported("5.5.5.5:5433 refused (no rule)"));
  int names = 0;
  std::uint64_t others = 0;
  for (const auto& event : served.end()) {
    names += event.text.starts_with("junk") ? 1 : 0;
    if (event.text == "further names refused") others += event.count;
  }
  CHECK(names == 1'024);
  CHECK(others == 1'100 - 1'024);
}

TEST_CASE("after gateway.limit.names names, further names do not exist") {
  Served served({"*.example:7009"}, {}, [](gateway::Policy& plan) { plan.config.max_names = 2; });
  CHECK(resolve("a.example") == "198.18.0.1");
  CHECK(resolve("b.example") == "198.18.0.2");
  CHECK(resolve("c.example") == "NXDOMAIN");
  CHECK(served.reported("c.example refused (more names than gateway.limit.names allows)"));
  CHECK(resolve("a.example") == "198.18.0.1");
}

TEST_CASE(
    "a connection fails with the reason if the server refuses it or does not answer; before that, further addresses "
    "are tried") {
  Dns dns;
  dns.set("closed.example", {"5.5.5.5"});
  dns.set("silent.example", {"5.5.5.99"});
  dns.set("second.example", {"5.5.5.99", "5.5.5.5"});
  Served served({"*.example:7010"}, {}, [](gateway::Policy& plan) { plan.config.connect_timeout_ms = 300; });
  CHECK(said_back(resolve("closed.example"), 7010) == "(reset)");
  CHECK(served.reported("closed.example:7010 failed: Connection refused"));
  CHECK(said_back(resolve("silent.example"), 7010) == "(reset)");
  CHECK(served.reported("silent.example:7010 failed: does not answer"));
  const Upstream server("5.5.5.5", 7010, echo);
  CHECK(said_back(resolve("second.example"), 7010) == kBack);
}

TEST_CASE("with gateway.upstream_proxy, the proxy resolves the names") {
  Dns dns;
  const Upstream proxy("5.5.5.6", 3128, [&](Wire& wire) {
    std::string asked;
    while (asked.find("\r\n\r\n") == std::string::npos) asked += wire.read(1);
    const bool good = asked.starts_with("CONNECT far.example:7011 ");
    wire.send(good ? "HTTP/1.1 200 OK\r\n\r\nwelcome\n" : "HTTP/1.1 403 Forbidden\r\n\r\n");
    if (good) echo(wire);
  });
  Served served({"far.example:7011", "near.example:7011"}, {}, [](gateway::Policy& plan) {
    plan.config.upstream_proxy = {"5.5.5.6", 3128};
  });
  const Wire wire = connect(resolve("far.example"), 7011);
  CHECK(wire.read(8) == "welcome\n");
  wire.send("hello\n");
  CHECK(wire.read(6) == kBack);
  CHECK(dns.asked("far.example") == 0);
  CHECK(said_back(resolve("near.example"), 7011) == "(reset)");
  CHECK(served.reported("near.example:7011 failed: the proxy answered"));
}
