// What the rules of `net` open and close, tested with a client in the sandbox.
#include "tests/outside/outside.h"

using namespace band::test;

namespace {

std::string get(const std::string& url) { return "curl -fsS http://" + url + "/"; }

std::string band_of(const std::string& net, const std::string& deny = "") {
  return "allow: {net: [" + net + "], cli: [\"curl *\"]}\n" + (deny.empty() ? "" : "deny: {net: [" + deny + "]}");
}

}  // namespace

TEST_CASE("a wildcard matches names at any depth but not the name itself, and deny wins at every depth") {
  const Caller caller(networked_server());
  const Ran ran = try_acts(
      caller, band_of("\"*.example.com\"", "evil.example.com, \"*.deep.wild.example.com\""),
      {.did = {get("api.example.com"), get("one.wild.example.com"), get("deep.wild.example.com")},
       .refused = {get("example.com"), get("evil.example.com"), get("EVIL.example.com"), get("evil.example.com."),
                   get("one.deep.wild.example.com"), get("a.b.c.deep.wild.example.com")}});
  CHECK_HAS(ran.err, "net: example.com refused (not in allow.net)");
  CHECK_HAS(ran.err, "net: evil.example.com refused (deny.net \"evil.example.com\", ");
  CHECK_HAS(ran.err, "net: one.deep.wild.example.com refused (deny.net \"*.deep.wild.example.com\", ");
}

TEST_CASE("case and a trailing dot make no difference, in a rule and in a client") {
  const Caller caller(networked_server());
  try_acts(caller, band_of("API.Example.com., www.example.com"),
           {.did = {get("api.example.com"), get("aPi.eXample.COM"), get("www.example.com.")},
            .refused = {get("evil.example.com.")}});
}

TEST_CASE("both spellings of an internationalized name are the same name for allow and deny") {
  const Caller caller(networked_server());
  const Words both = {"LC_ALL=C.UTF-8 curl -fsS http://b\u00fccher.example.com/", get("xn--bcher-kva.example.com")};
  try_acts(caller, band_of("b\u00fccher.example.com"), {.did = both, .refused = {get("api.example.com")}});
  try_acts(caller, band_of("xn--bcher-kva.example.com"), {.did = both, .refused = {}});
  try_acts(caller, band_of("\"*.example.com\"", "B\u00dcCHER.example.com"), {.did = {}, .refused = both});
}

TEST_CASE("a star matches every host by name or address, and a denied network also applies to addresses of names") {
  const Caller caller(networked_server());
  const Ran ran = try_acts(caller, band_of("\"*\"", "6.6.6.0/24, www.example.com"),
                           {.did = {get("api.example.com"), get("example.com"), get("5.5.5.5")},
                            .refused = {get("git.example.com"), get("6.6.6.6"), get("www.example.com"),
                                        get("10.20.30.40"), get("169.254.169.254"), get("private.example.com")}});
  CHECK_HAS(ran.err, "net: git.example.com:80 refused (");
  CHECK_HAS(ran.err, "net: 10.20.30.40:80 refused (");
}

TEST_CASE("a rule with an address or a network opens no name") {
  const Caller caller(networked_server());
  const Ran ran = try_acts(caller, band_of("5.5.5.5, \"6.6.6.0/24:8080\""),
                           {.did = {get("5.5.5.5"), get("6.6.6.6:8080")},
                            .refused = {get("6.6.6.6"), get("5.5.5.5:8080"), get("api.example.com")}});
  CHECK_HAS(ran.err, "net: 6.6.6.6:80 refused (");
  CHECK_HAS(ran.err, "net: 5.5.5.5:8080 refused (");
  CHECK_HAS(ran.err, "net: api.example.com refused (not in allow.net)");
}

TEST_CASE("a private network must be allowed by the band and by the operator") {
  const Words act = {get("10.20.30.40")};
  const std::string band = band_of("\"10.20.30.0/24\"");
  const Ran ran = explain(Caller(networked_server()), get("10.20.30.40"), band);
  CHECK_STATUS(ran, 3);
  CHECK_HAS(ran.err, "gateway.allow_private");

  const Server server(gateway("allow_private: [10.20.0.0/16]\n"));
  const Caller with(server);
  try_acts(with, band, {.did = act, .refused = {}});
  // A name with this address does not match the rule, which names an address.
  try_acts(with, band_of("private.example.com, \"*\""), {.did = {}, .refused = {get("private.example.com")}});
}

TEST_CASE("a port other than 80 and 443 is opened by its number, and all ports by a star") {
  const Caller caller(networked_server());
  try_acts(caller, band_of("\"api.example.com:8080\""),
           {.did = {get("api.example.com:8080")}, .refused = {get("api.example.com")}});
  try_acts(caller, band_of("\"api.example.com:*\"", "\"api.example.com:8080\""),
           {.did = {get("api.example.com"), "curl -fsSk https://api.example.com:8443/"},
            .refused = {get("api.example.com:8080")}});
}

TEST_CASE("without a rule no name resolves and no address is reached, and the ledger counts the packets") {
  const Caller caller(networked_server());
  const Ran ran =
      try_acts(caller, "allow: {cli: [\"curl *\"]}", {.did = {}, .refused = {get("5.5.5.5"), get("api.example.com")}});
  CHECK_HAS(ran.err, "packets (no rule of allow.net)");
}

TEST_CASE("names that do not exist, are too long or malformed fail immediately") {
  const Caller caller(networked_server());
  const std::string label(63, 'a'), too_long = label + "a";
  const Ran ran =
      explain(caller,
              "for name in missing.wild.example.org " + too_long + ".wild.example.com " + label + "." + label + "." +
                  label + "." + label + ".wild.example.com 'a b.wild.example.com' 198.18.0.77; do\n" +
                  "  began=${EPOCHREALTIME/./}\n  curl -sS \"http://$name/\" && echo \"reached $name\"\n" +
                  "  (((${EPOCHREALTIME/./} - began) / 1000 < 2500)) || echo \"slow: $name\"\ndone",
              band_of("\"*.wild.example.com\""));
  REQUIRE_STATUS(ran, 0);
  CHECK_HAS_NOT(ran.err, "reached");
  CHECK_HAS_NOT(ran.err, "slow");
}
