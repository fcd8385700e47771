#include "schemas/rules/net_rules.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using band::Domain;
using band::IpAddress;
using band::NetHost;
using band::NetRules;
using band::NetVerdict;
using band::Rule;
using band::RuleSet;

namespace {

RuleSet rules(const std::vector<std::string>& patterns, const std::string& file = "BAND.md") {
  RuleSet set;
  for (const std::string& pattern : patterns) set.push_back({pattern, file + ":" + std::to_string(set.size() + 1)});
  return set;
}

NetRules compiled(const Domain& net) {
  auto result = NetRules::compile(net);
  REQUIRE_MESSAGE(result.ok(), (result.ok() ? "" : result.error().message()));
  return std::move(result).value();
}

NetRules open(const std::vector<std::string>& allow, const std::vector<std::string>& deny = {}) {
  return compiled({{rules(allow)}, rules(deny), {}});
}

NetVerdict ask(const NetRules& net, const std::string& host, int port) {
  return net.connect(NetHost::of(host), static_cast<std::uint16_t>(port));
}

bool allowed(const NetRules& net, const std::string& host, int port = 443) { return ask(net, host, port).allowed; }
std::string why(const NetRules& net, const std::string& host, int port = 443) { return ask(net, host, port).why; }

}  // namespace

TEST_CASE("nothing is open without a rule") {
  for (const NetRules& net :
       {NetRules(), compiled({}), compiled({{{}}, {}, {}}), compiled({{rules({"a.example"}), {}}, {}, {}})}) {
    CHECK(net.empty());
    CHECK_FALSE(net.lookup("a.example").allowed);
    CHECK(why(net, "a.example") == "not in allow.net");
    CHECK(why(net, "93.184.216.34", 80) == "no rule");
    CHECK(net.openings().empty());
    CHECK(net.name_ports().empty());
  }
}

TEST_CASE("missing_rule is set only if no deny, no further layer and no exception closes the host") {
  const NetRules net = open({"api.example.com", "*"}, {"evil.example"});
  const NetRules few = open({"api.example.com"});
  for (const auto& [host, port] : {std::pair("other.example", 443), {"5.5.5.5", 80}, {"api.example.com", 22}})
    CHECK_MESSAGE(ask(few, host, port).missing_rule, host);
  CHECK(few.lookup("other.example").missing_rule);
  CHECK_FALSE(few.lookup("api.example.com").missing_rule);
  CHECK_FALSE(ask(few, "api.example.com", 443).missing_rule);
  CHECK_FALSE(ask(net, "evil.example", 443).missing_rule);
  CHECK_FALSE(ask(net, "localhost", 443).missing_rule);
  const NetRules under = compiled({{rules({"a.example"}), rules({"b.example"})}, {}, {}});
  CHECK_FALSE(ask(under, "a.example", 443).missing_rule);
  CHECK(ask(under, "c.example", 443).missing_rule);
}

TEST_CASE("a name opens only itself, on 443 and 80") {
  const NetRules net = open({"api.example.com"});
  CHECK(allowed(net, "api.example.com", 443));
  CHECK(allowed(net, "api.example.com", 80));
  CHECK_FALSE(ask(net, "api.example.com", 443).names_port);
  CHECK(net.lookup("api.example.com").allowed);
  CHECK(why(net, "api.example.com", 22) == "allow.net does not allow this port; write api.example.com:22");
  CHECK(ask(net, "api.example.com", 22).rule->pattern == "api.example.com");
  for (const char* other : {"example.com", "x.api.example.com", "api.example.com.evil.example", "xapi.example.com"}) {
    CHECK_FALSE(allowed(net, other));
    CHECK_FALSE(net.lookup(other).allowed);
  }
}

TEST_CASE("a rule that names a port opens this port, also for other protocols") {
  const NetRules net = open({"db.example:5432", "any.example:*", "web.example:443"});
  CHECK(ask(net, "db.example", 5432).names_port);
  CHECK_FALSE(allowed(net, "db.example", 443));
  CHECK(net.lookup("db.example").allowed);
  CHECK(ask(net, "any.example", 22).names_port);
  CHECK(allowed(net, "any.example", 443));
  CHECK_FALSE(ask(net, "any.example", 443).names_port);
  CHECK_FALSE(ask(net, "web.example", 443).names_port);
  CHECK_FALSE(allowed(net, "web.example", 80));
}

TEST_CASE("`*.name` matches subdomains of any depth, but not the name itself") {
  const NetRules net = open({"*.example.com"});
  CHECK(allowed(net, "a.example.com"));
  CHECK(allowed(net, "a.b.c.example.com"));
  CHECK_FALSE(allowed(net, "example.com"));
  CHECK_FALSE(allowed(net, "notexample.com"));
}

TEST_CASE("both spellings of an internationalised name are the same name") {
  for (const char* pattern : {"b\xc3\xbc"
                              "cher.example",
                              "xn--bcher-kva.example"})
    CHECK(allowed(open({pattern}), "xn--bcher-kva.example"));
}

TEST_CASE("deny has precedence at every depth, and without a port it applies to all ports") {
  const NetRules net = open({"*.x.example:*", "a.x.example"}, {"gist.x.example", "*.low.x.example:22", "10.0.0.0/8"});
  CHECK(allowed(net, "a.x.example", 99));
  CHECK(why(net, "gist.x.example", 99) == "deny.net \"gist.x.example\", BAND.md:1");
  CHECK(ask(net, "gist.x.example", 99).section == "deny.net");
  CHECK_FALSE(net.lookup("gist.x.example").allowed);
  CHECK(net.lookup("gist.x.example").why == "deny.net \"gist.x.example\", BAND.md:1");
  CHECK_FALSE(allowed(net, "a.low.x.example", 22));
  CHECK(allowed(net, "a.low.x.example", 23));
  CHECK(net.lookup("a.low.x.example").allowed);
  CHECK(net.denies(*IpAddress::parse("10.9.8.7"), 1)->pattern == "10.0.0.0/8");
  CHECK(net.denies(*IpAddress::parse("::ffff:10.9.8.7"), 1).has_value());
  CHECK_FALSE(net.denies(*IpAddress::parse("11.9.8.7"), 1).has_value());
  // Each of its ports is denied by a separate rule.
  CHECK_FALSE(open({"a.example"}, {"a.example:80", "a.example:443"}).lookup("a.example").allowed);
  CHECK(open({"a.example"}, {"a.example:80"}).lookup("a.example").allowed);
}

TEST_CASE("every layer must open the host") {
  const NetRules net =
      compiled({{rules({"a.example:*", "b.example", "c.example"}), rules({"a.example", "*.example:22"}, "server.yaml")},
                {},
                {}});
  CHECK(allowed(net, "a.example", 443));
  CHECK(allowed(net, "a.example", 22));
  CHECK(ask(net, "a.example", 22).rule->origin == "BAND.md:1");
  CHECK(why(net, "a.example", 99) == "allow.net \"a.example:*\", BAND.md:1, but server.yaml does not allow this port");
  CHECK(why(net, "b.example", 443) == "allow.net \"b.example\", BAND.md:2, but server.yaml does not allow this port");
  CHECK_FALSE(net.lookup("b.example").allowed);
  CHECK(net.lookup("b.example").why.find("but server.yaml") != std::string::npos);
  const NetRules other = compiled({{rules({"a.example"}), rules({"b.example"}, "server.yaml")}, {}, {}});
  CHECK(why(other, "a.example") == "allow.net \"a.example\", BAND.md:1, but server.yaml does not allow it");
}

TEST_CASE("insist opens, and is named as the section") {
  const RuleSet opened = rules({"a.example", "b.example"});
  const NetRules net = compiled({{opened}, {}, {opened[1]}});
  CHECK(ask(net, "a.example", 443).section == "allow.net");
  CHECK(ask(net, "b.example", 443).section == "insist.net");
}

TEST_CASE("addresses are opened by a rule for the address, by a CIDR, or by `*`") {
  const NetRules net = open({"192.0.2.1", "10.1.2.0/24:8080"});
  CHECK(allowed(net, "192.0.2.1", 443));
  CHECK(allowed(net, "10.1.2.255", 8080));
  CHECK_FALSE(allowed(net, "10.1.3.0", 8080));
  CHECK(why(net, "10.1.2.1", 443) == "allow.net does not allow this port; write 10.1.2.1:443");
  CHECK(net.opens_address(*IpAddress::parse("10.1.2.9"), 8080));
  CHECK_FALSE(net.opens_address(*IpAddress::parse("10.1.2.9"), 8081));
  const NetRules all = open({"*:*"});
  CHECK(allowed(all, "10.1.2.3", 1));
  CHECK_FALSE(all.opens_address(*IpAddress::parse("10.1.2.3"), 1));
  CHECK_FALSE(open({"10.0.0.0/8"}, {"10.0.0.1"}).opens_address(*IpAddress::parse("10.0.0.1"), 80));
}

TEST_CASE("localhost is 127.0.0.1, and `*` does not include it") {
  for (const char* pattern : {"localhost:5432", "127.0.0.1:5432", "127.0.0.0/8:5432"}) {
    CAPTURE(pattern);
    const NetRules net = open({pattern});
    CHECK(allowed(net, "localhost", 5432));
    CHECK(allowed(net, "127.0.0.1", 5432));
    CHECK(net.opens_address(*IpAddress::parse("127.0.0.1"), 5432));
    CHECK_FALSE(allowed(net, "localhost", 80));
  }
  const NetRules all = open({"*:*"});
  CHECK(why(all, "localhost", 5432) == "`*` does not include localhost; write localhost:5432");
  CHECK_FALSE(all.lookup("localhost").allowed);
  CHECK_FALSE(all.opens_address(*IpAddress::parse("127.0.0.1"), 5432));
  // An operator's `*` does not restrict a band that names localhost.
  CHECK(allowed(compiled({{rules({"localhost:5432"}), rules({"*:*"})}, {}, {}}), "localhost", 5432));
  CHECK_FALSE(allowed(open({"localhost"}, {"127.0.0.0/8"}), "localhost"));
  CHECK_FALSE(allowed(open({"127.0.0.1"}, {"localhost"}), "127.0.0.1"));
}

TEST_CASE("a private address is opened only if the band names it, also if the ceiling names it") {
  const auto under_ceiling = [](const std::string& own, std::vector<std::string> ceiling) {
    Domain domain{{rules({own}), rules(ceiling)}, {}, {}};
    domain.of_ceiling = 1;
    return compiled(domain);
  };
  const auto address = *IpAddress::parse("127.0.0.1");
  const std::vector<std::string> named = {"*:*", "localhost:8099", "127.0.0.0/8:8099"};
  CHECK(under_ceiling("localhost:8099", named).opens_address(address, 8099));  // the control
  CHECK(under_ceiling("localhost:8099", {"*:*"}).opens_address(address, 8099));
  const NetRules all = under_ceiling("*:*", named);
  CHECK_FALSE(all.opens_address(address, 8099));
  CHECK(why(all, "localhost", 8099) == "`*` does not include localhost; write localhost:8099");
  CHECK(allowed(all, "a.example", 8099));
  // If one band extends another one, either of the two may name the address.
  CHECK(compiled({{rules({"*:*"}), rules({"localhost:8099"})}, {}, {}}).opens_address(address, 8099));
}

TEST_CASE("the destinations that the firewall must redirect") {
  using Opening = NetRules::Opening;
  const NetRules net =
      open({"a.example", "b.example:22", "10.0.0.0/8:8080", "192.0.2.1", "localhost:5432", "[2001:db8::1]"});
  CHECK(
      net.openings() ==
      std::vector<Opening>{{0x0a000000, 8, 8080}, {0x7f000001, 32, 5432}, {0xc0000201, 32, 80}, {0xc0000201, 32, 443}});
  CHECK(net.name_ports() == std::vector<std::optional<std::uint16_t>>{22, 80, 443});
  const NetRules all = open({"*:*", "a.example:22"});
  CHECK(all.openings() == std::vector<Opening>{{0, 0, std::nullopt}});
  CHECK(all.name_ports() == std::vector<std::optional<std::uint16_t>>{std::nullopt});
  CHECK(open({"10.0.0.0/8"}).name_ports().empty());
  CHECK(open({"localhost"}).name_ports().empty());
}

TEST_CASE("names that a script chose are escaped in reasons") {
  CHECK(why(open({"*:22"}), "a\x1b[31m.example", 80) ==
        "allow.net does not allow this port; write a\\u001b[31m.example:80");
}

namespace {

const std::vector<std::string> kHosts{"a.example", "b.a.example", "c.b.a.example", "localhost", "xn--bcher-kva.example",
                                      "10.0.0.1",  "10.1.0.1",    "192.0.2.1",     "127.0.0.1"};
const std::vector<int> kPorts{22, 80, 443, 8080, 65535};

struct Chance {
  std::mt19937 engine{42};

  const std::string& pick(const std::vector<std::string>& from) { return from[engine() % from.size()]; }
  std::string pattern() {
    static const std::vector<std::string> hosts{"a.example",  "*.a.example", "*.example", "*",          "localhost",
                                                "10.0.0.0/8", "10.0.0.1",    "0.0.0.0/0", "b.a.example"};
    static const std::vector<std::string> ports{"", ":*", ":22", ":443", ":8080"};
    return pick(hosts) + pick(ports);
  }
  RuleSet set(std::size_t most) {
    std::vector<std::string> patterns;
    for (std::size_t count = engine() % (most + 1); count > 0; --count) patterns.push_back(pattern());
    return rules(patterns);
  }
  Domain domain() {
    Domain net;
    for (std::size_t layers = 1 + engine() % 3; layers > 0; --layers) net.opened.push_back(set(4));
    net.deny = set(3);
    return net;
  }
};

// Calls `check(host, port)` for all combinations.
template <class Check>
void everywhere(const Check& check) {
  for (const std::string& host : kHosts)
    for (const int port : kPorts) check(host, port);
}

}  // namespace

TEST_CASE("property: a deny is effective regardless of other rules, and closes only what it names") {
  Chance chance;
  int won = 0;
  for (int round = 0; round < 1500; ++round) {
    Domain net = chance.domain();
    const NetRules before = compiled(net);
    const std::string text = chance.pattern();
    net.deny.push_back({text, "deny:1"});
    const NetRules after = compiled(net), alone = open({"*:*", "localhost:*"}, {text});
    everywhere([&](const std::string& host, int port) {
      const bool denied = !allowed(alone, host, port);
      CHECK(allowed(after, host, port) == (allowed(before, host, port) && !denied));
      won += allowed(before, host, port) && denied;
    });
  }
  CHECK(won > 500);
}

TEST_CASE("property: a further allow never removes a permission") {
  Chance chance;
  int gained = 0;
  for (int round = 0; round < 1500; ++round) {
    Domain net = chance.domain();
    const NetRules before = compiled(net);
    RuleSet& layer = net.opened[chance.engine() % net.opened.size()];
    layer.insert(layer.begin() + static_cast<long>(chance.engine() % (layer.size() + 1)), {chance.pattern(), "more:1"});
    const NetRules after = compiled(net);
    everywhere([&](const std::string& host, int port) {
      if (allowed(before, host, port)) CHECK(allowed(after, host, port));
      gained += !allowed(before, host, port) && allowed(after, host, port);
    });
    for (const std::string& host : kHosts)
      if (before.lookup(host).allowed) CHECK(after.lookup(host).allowed);
  }
  CHECK(gained > 200);
}

TEST_CASE("property: the order of rules never matters") {
  Chance chance;
  for (int round = 0; round < 1500; ++round) {
    Domain net = chance.domain(), shuffled = net;
    for (RuleSet& layer : shuffled.opened) std::shuffle(layer.begin(), layer.end(), chance.engine);
    std::shuffle(shuffled.opened.begin(), shuffled.opened.end(), chance.engine);
    std::shuffle(shuffled.deny.begin(), shuffled.deny.end(), chance.engine);
    const NetRules a = compiled(net), b = compiled(shuffled);
    everywhere([&](const std::string& host, int port) {
      CHECK(allowed(a, host, port) == allowed(b, host, port));
      CHECK(allowed(a, host, port) == why(a, host, port).empty());
    });
    for (const std::string& host : kHosts) CHECK(a.lookup(host).allowed == b.lookup(host).allowed);
  }
}

TEST_CASE(
    "property: a name can be looked up exactly if one of its ports is open, and open destinations are redirected") {
  Chance chance;
  std::vector<int> ports{1, 53, 22, 80, 443, 8080, 65535};
  for (int round = 0; round < 1500; ++round) {
    const NetRules net = compiled(chance.domain());
    const auto openings = net.openings();
    const auto name_ports = net.name_ports();
    for (const std::string& host : kHosts) {
      const auto address = IpAddress::parse(host == "localhost" ? "127.0.0.1" : host);
      bool some = false;
      for (const int port : ports) {
        if (!allowed(net, host, port)) continue;
        some = true;
        const auto fits = [&](const std::optional<std::uint16_t>& open) { return !open || *open == port; };
        const bool caught =
            address
                ? std::any_of(
                      openings.begin(), openings.end(),
                      [&](const NetRules::Opening& o) {
                        return fits(o.port) && band::Cidr{IpAddress::v4(o.network), o.prefix_bits}.contains(*address);
                      })
                : std::any_of(name_ports.begin(), name_ports.end(), fits);
        CHECK(caught);
      }
      if (!IpAddress::parse(host)) CHECK(net.lookup(host).allowed == some);
    }
  }
}
