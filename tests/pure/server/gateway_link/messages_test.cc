#include <doctest/doctest.h>

#include "server/gateway_link/event.h"
#include "server/gateway_link/policy.h"

using band::IpAddress;
using band::gateway::decode_event;
using band::gateway::decode_policy;
using band::gateway::Event;
using band::gateway::Policy;

TEST_CASE("a policy is decoded as it was encoded") {
  Policy policy;
  policy.net.opened = {{{"api.example.com", "BAND.md:3"}, {"10.1.0.0/16:8080", ""}}, {{"*", "server.yaml:2"}}};
  policy.net.deny = {{"gist.example.com", "BAND.md:5"}};
  policy.net.insist = {{"api.example.com", "BAND.md:3"}};
  policy.config.resolve = {{"a.example", *IpAddress::parse("192.0.2.1"), 8443},
                           {"b.example", *IpAddress::parse("::1"), {}}};
  policy.config.allow_private = {*band::Cidr::parse("10.0.0.0/8"), *band::Cidr::parse("fd00::/8")};
  policy.config.upstream_proxy = {"proxy.example", 3128};
  policy.config.extra_ca = "/etc/band/ca.pem";
  policy.config.connect_timeout_ms = 1234;
  policy.config.max_connections = 5;
  policy.config.connections_per_second = 7;
  policy.config.max_names = 6;
  policy.config.max_bytes = 1LL << 40;
  policy.server_port = 7433;
  const auto read = decode_policy(encode(policy));
  REQUIRE_MESSAGE(read.ok(), (read.ok() ? "" : read.error().message()));
  CHECK(encode(*read) == encode(policy));
  CHECK(read->net.opened.size() == 2);
  CHECK(read->net.opened[0][1].pattern == "10.1.0.0/16:8080");
  CHECK(read->config.resolve[0].port == 8443);
  CHECK_FALSE(read->config.resolve[1].port.has_value());
  CHECK(read->config.resolve[1].address.text() == "::1");
  CHECK(read->config.allow_private[0].text() == "10.0.0.0/8");
  CHECK(read->config.upstream_proxy->second == 3128);
  CHECK(read->config.connections_per_second == 7);
  CHECK(read->config.max_bytes == 1LL << 40);
  CHECK(read->server_port == 7433);
  CHECK(decode_policy(encode(Policy{})).ok());
}

TEST_CASE("a malformed policy is refused") {
  const std::string good = encode(Policy{});
  for (const char* bad : {"", "{}", "[]", "{\"rules\":{}}"}) CHECK_FALSE(decode_policy(bad).ok());
  for (const auto& [from, to] : {std::pair{"\"max_names\":4096", "\"max_names\":0"},
                                 {"\"connections_per_second\":50", "\"connections_per_second\":0"},
                                 {"\"allow_private\":[]", "\"allow_private\":[\"10.0.0.1/8\"]"},
                                 {"\"resolve\":[]", "\"resolve\":[{\"name\":\"a\",\"address\":\"b\"}]"},
                                 {"\"resolve\":[]", "\"resolve\":{}"},
                                 {"\"server_port\":0", "\"server_port\":65536"}}) {
    std::string text = good;
    REQUIRE(text.find(from) != std::string::npos);
    text.replace(text.find(from), std::string(from).size(), to);
    CAPTURE(text);
    CHECK_FALSE(decode_policy(text).ok());
  }
}

TEST_CASE("an event is decoded as it was encoded") {
  Event event;
  event.kind = Event::Kind::Relayed;
  event.text = "api.example.com:443";
  event.host = "api.example.com";
  event.port = 443;
  event.address = "192.0.2.1";
  event.up = 10;
  event.down = 1ull << 40;
  event.start_ms = 1.5;
  event.duration_ms = 20;
  event.section = "insist.net";
  event.rule = band::Rule{"*.example.com", "BAND.md:3"};
  event.open = true;
  const auto read = decode_event(encode(event));
  REQUIRE_MESSAGE(read.ok(), (read.ok() ? "" : read.error().message()));
  CHECK(encode(*read) == encode(event));
  CHECK(read->kind == Event::Kind::Relayed);
  CHECK(read->down == 1ull << 40);
  CHECK(read->open);
  CHECK(read->count == 1);
  CHECK(read->rule->pattern == "*.example.com");
  event.kind = Event::Kind::Refused;
  event.count = 70'000;
  CHECK(decode_event(encode(event))->count == 70'000);
  Event ready;
  ready.start_ms = 2.5;  // read long after it was sent, if the sandbox was made ahead
  CHECK(encode(ready) == "{\"event\":\"ready\",\"start_ms\":2.5}");
  CHECK(decode_event(encode(ready))->start_ms == 2.5);
  Event last;
  last.kind = Event::Kind::Last;
  CHECK(encode(last) == "{\"event\":\"last\"}");
  CHECK(decode_event(encode(last))->kind == Event::Kind::Last);
}

TEST_CASE("an encoded event is never longer than the limit of a line") {
  for (const char* unit : {"x", "\"", "\\", "\x01", "\xff", "\xf0\x9f\x98\x80", "\n"}) {
    std::string filler;
    while (filler.size() < 8000) filler += unit;
    Event event;
    event.kind = Event::Kind::Relayed;
    event.text = event.host = event.address = event.section = filler;
    event.rule = band::Rule{filler, filler};
    event.port = 65535;
    event.up = event.down = event.count = ~0ull;
    event.start_ms = event.duration_ms = 1e11 / 3;
    const std::string line = encode(event);
    CHECK(line.size() < band::gateway::kMaxEventBytes);
    const auto read = decode_event(line);
    REQUIRE_MESSAGE(read.ok(), (read.ok() ? "" : read.error().message()));
    CHECK(read->text.ends_with("..."));
  }
}

TEST_CASE("a malformed event is refused") {
  for (const char* bad :
       {"", "{}", "ready", "{\"event\":\"hello\"}", "{\"event\":\"ready\",\"more\":1}",
        "{\"event\":\"relayed\",\"open\":1}", "{\"event\":\"refused\",\"port\":65536}",
        "{\"event\":\"refused\",\"count\":0}", "{\"event\":\"refused\",\"up\":-1}",
        "{\"event\":\"refused\",\"start_ms\":-1}", "{\"event\":\"refused\",\"start_ms\":1e300}",
        "{\"event\":\"refused\",\"rule\":{\"pattern\":1}}", "{\"event\":\"ready\"} {\"event\":\"ready\"}"}) {
    CAPTURE(bad);
    CHECK_FALSE(decode_event(bad).ok());
  }
  CHECK_FALSE(decode_event(std::string(5000, ' ') + "{\"event\":\"ready\"}").ok());
}
