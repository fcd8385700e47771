// The addresses of names: one lookup per connection by the machine's resolver. Each address is checked, and a checked
// address is dialled.
#include "tests/outside/outside.h"

using namespace band::test;

namespace {

std::string get(const std::string& name) { return "curl -fsS http://" + name + "/"; }
constexpr const char* kAny = "allow: {net: [\"*.example.com\", hosts.example.net], cli: [\"curl *\"]}";

std::string times(int count, const std::string& act) {
  return "for ((i = 0; i < " + std::to_string(count) + "; i++)); do " + act + " || exit 1; done";
}

}  // namespace

TEST_CASE("rotating names, aliases, names in /etc/hosts and names with one dead address are reached") {
  const Caller caller(networked_server());
  try_acts(caller, kAny,
           {.did = {times(6, get("rotate.example.com")), get("alias.example.com"), get("alias2.example.com"),
                    get("hosts.example.net"), times(4, get("half.example.com")), get("both.example.com")},
            .refused = {}});
}

TEST_CASE("an alias is compared by its own name, not by the name that it points to") {
  const Caller caller(networked_server());
  try_acts(caller, "allow: {net: [alias2.example.com], cli: [\"curl *\"]}",
           {.did = {get("alias2.example.com")}, .refused = {get("alias.example.com"), get("www.example.com")}});
}

TEST_CASE("a name with one forbidden address, also behind an alias, is refused, and the ledger names the address") {
  const Caller caller(networked_server());
  const Ran ran =
      try_acts(caller, kAny,
               {.did = {},
                .refused = {get("private.example.com"), get("hidden.example.com"), times(6, get("mixed.example.com")),
                            get("mixed6.example.com"), get("metadata.example.com"), get("testnet.example.com")}});
  for (const char* name : {"private", "hidden", "mixed"})
    CHECK_HAS(ran.err,
              std::string("net: ") + name + ".example.com:80 refused (resolves to 10.20.30.40, which is private");
  CHECK_HAS(ran.err, "net: mixed6.example.com:80 refused (resolves to fd00::1");
  CHECK_HAS(ran.err, "net: metadata.example.com:80 refused (resolves to 169.254.169.254");
  CHECK_HAS(ran.err, "net: testnet.example.com:80 refused (resolves to 192.0.2.7");
}

TEST_CASE("a connection makes one lookup and dials an address of its answer, even if a later answer differs") {
  const Caller caller(networked_server());
  const int before = outside().lookups_of("once.example.com");
  const Ran once = explain(caller, get("once.example.com"), kAny);
  CHECK_HAS(once.err, "once.example.com at 5.5.5.5:80");
  CHECK(outside().lookups_of("once.example.com") == before + 1);

  // The control: two lookups of the name return different addresses.
  const Ran control = outside().shell(get("control.rebind.example.com") + "; " + get("control.rebind.example.com"));
  CHECK_HAS(control.out, "at 5.5.5.5:80");
  CHECK_HAS(control.out, "at 10.20.30.40:80");
  const Ran ran =
      explain(caller, times(1, get("inside.rebind.example.com")) + "; " + get("inside.rebind.example.com"), kAny);
  CHECK_HAS(ran.err, "inside.rebind.example.com at 5.5.5.5:80");
  CHECK_HAS_NOT(ran.err, "at 10.20.30.40");
  CHECK_HAS(ran.err, "net: inside.rebind.example.com:80 refused (resolves to 10.20.30.40");
}

TEST_CASE("a lookup that is not followed by a connection sends nothing to the outside, whether allowed or not") {
  const Caller caller(networked_server());
  const Ran ran = explain(caller,
                          "for name in secret1.wild.example.com secret2.example.org; do\n"
                          "  python3 -c 'import socket, sys; print(socket.gethostbyname(sys.argv[1]))' $name\ndone",
                          "allow: {net: [\"*.wild.example.com\"], cli: [\"python3 *\"]}");
  REQUIRE_STATUS(ran, 0);
  CHECK_HAS(ran.err, "198.18.");
  CHECK_HAS_NOT(outside().log("dns.log"), "secret");
  outside().shell("getent hosts secret3.example.org");
  CHECK_HAS(outside().log("dns.log"), "secret3.example.org");  // the control
}

TEST_CASE(
    "a host with only an IPv6 address is reached if the machine has IPv6; an IPv4-mapped private address is refused") {
  const Caller caller(networked_server());
  try_acts(caller, kAny, {.did = {get("six.example.com")}, .refused = {}});
  const Ran ran = explain(caller, get("mapped.example.com"), kAny);
  CHECK_HAS(ran.err, "net: mapped.example.com:80 refused (resolves to ");
}

TEST_CASE("connections that are reset or not answered fail in time, with the reason in the ledger") {
  const Server server(gateway("connect_timeout: 1s\n"));
  const Caller caller(server);
  const Ran ran = explain(caller,
                          "for name in reset silent missing api; do\n"
                          "  began=${EPOCHREALTIME/./}; curl -fsS http://$name.example.com/ && echo \"reached $name\"\n"
                          "  echo \"$name took $(((${EPOCHREALTIME/./} - began) / 1000)) ms\"\ndone",
                          kAny);
  REQUIRE_STATUS(ran, 0);
  for (const char* name : {"reset", "silent", "missing"}) CHECK_HAS_NOT(ran.err, std::string("reached ") + name);
  CHECK_HAS(ran.err, "reached api");  // the control
  CHECK_HAS(ran.err, "net: reset.example.com:80 failed: Connection refused");
  CHECK_HAS(ran.err, "net: silent.example.com:80 failed: does not answer");
  CHECK_HAS(ran.err, "net: missing.example.com:80 failed: not found");
  // Not before the configured timeout, and long before the default of ten seconds.
  const std::size_t took = ran.err.find("silent took ");
  REQUIRE(took != std::string::npos);
  const int ms = std::atoi(ran.err.c_str() + took + 12);
  CHECK(ms >= 1'000);
  CHECK(ms < 8'000);
}

TEST_CASE("gateway.resolve replaces the lookup: another address, another port, a private address") {
  const Server server(
      gateway("resolve: {api.example.com: 6.6.6.6, www.example.com: \"5.5.5.5:8080\", "
              "inner.example.com: 10.20.30.40}\n"));
  const Caller caller(server);
  const Ran ran =
      explain(caller, get("api.example.com") + "; " + get("www.example.com") + "; " + get("inner.example.com"), kAny);
  REQUIRE_STATUS(ran, 0);
  CHECK_HAS(ran.err, "api.example.com at 6.6.6.6:80");
  CHECK_HAS(ran.err, "www.example.com at 5.5.5.5:8080");
  CHECK_HAS(ran.err, "inner.example.com at 10.20.30.40:80");
  CHECK(outside().lookups_of("inner.example.com") == 0);
  CHECK_HAS(outside().shell(get("api.example.com")).out, "at 5.5.5.5:80");  // the control
}

TEST_CASE("with upstream_proxy, all connections use the proxy, and only allowed ones are made") {
  const Server server(gateway("upstream_proxy: http://5.5.5.5:3128\n"));
  const Caller caller(server);
  const Ran ran =
      try_acts(caller, "allow: {net: [api.example.com, \"db.example.com:6379\"], cli: [\"curl *\", \"redis-cli *\"]}",
               {.did = {get("api.example.com"), "curl -fsS https://api.example.com/",
                        "redis-cli -h db.example.com ping | grep -q PONG"},
                .refused = {get("www.example.com"), get("5.5.5.5"), "curl -fsS https://evil.example.com/"}});
  const std::string log = outside().log("proxy.log");
  CHECK_HAS(log, "CONNECT api.example.com:443");
  CHECK_HAS(log, "CONNECT api.example.com:80");
  CHECK_HAS(log, "CONNECT db.example.com:6379");
  CHECK_HAS_NOT(log, "www.example.com");
  CHECK_HAS_NOT(log, "evil.example.com");
}
