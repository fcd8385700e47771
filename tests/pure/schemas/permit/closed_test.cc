// Rules of a band that the ceiling closes (schemas/permit/closed.h).
#include <doctest/doctest.h>

#include "schemas/permit/closed.h"

using namespace band;

namespace {

RuleSet rules(const std::vector<std::string>& patterns, const std::string& file = "x/BAND.md") {
  RuleSet set;
  for (const std::string& pattern : patterns) set.push_back({pattern, file + ":" + std::to_string(set.size() + 1)});
  return set;
}

// Returns "ok", the notes, or the error message.
std::string judged(const Domain& request, const Domain& ceiling, Domain Rules::*domain = &Rules::read,
                   const std::vector<Cidr>& allow_private = {}) {
  Rules asked, allowed;
  asked.*domain = request;
  allowed.*domain = ceiling;
  const auto notes = what_is_closed(asked, allowed, allow_private);
  if (!notes.ok()) return std::string(code_name(notes.error().code)) + ": " + notes.error().message();
  std::string text;
  for (const LedgerEntry& note : *notes) text += note.text + "\n";
  return text.empty() ? "ok" : text;
}

Domain opening(const std::vector<std::string>& patterns) { return {{rules(patterns)}, {}, {}}; }
Domain denying(const std::vector<std::string>& patterns) { return {{}, rules(patterns, "server.yaml"), {}}; }
Domain allowing(const std::vector<std::string>& patterns) { return {{rules(patterns, "server.yaml")}, {}, {}}; }

}  // namespace

TEST_CASE("a rule that a ceiling's deny covers is refused, with both positions") {
  CHECK(judged(opening({"/opt/x", "/etc/ssl/*.pem"}), denying({"/opt/y", "/etc/**"})) ==
        "PERMISSION_DENIED: read `/etc/ssl/*.pem` (x/BAND.md:2) is denied by this server's ceiling with "
        "`/etc/**` (server.yaml:2)");
  // A deny rule also denies everything below the path, and names that begin with a dot.
  for (const char* deny : {"/etc", "/etc/", "/etc/ssl", "/e*/ssl", "/**"}) {
    CAPTURE(deny);
    CHECK(judged(opening({"/etc/ssl/.keys/**"}), denying({deny})).find("PERMISSION_DENIED") == 0);
  }
  for (const char* deny : {"/etc2", "/etc/ssl/x", "./etc/ssl"}) {
    CAPTURE(deny);
    CHECK(judged(opening({"/etc/ssl/y"}), denying({deny})) == "ok");
  }
}

TEST_CASE("a rule outside the ceiling's allow is refused, also for the workspace") {
  const Domain ceiling = allowing({"/srv/data/**", "/opt/*.csv"});
  CHECK(judged(opening({"/srv/data/a", "/opt/a.csv"}), ceiling) == "ok");
  CHECK(judged(opening({"/srv/other/**"}), ceiling).find("PERMISSION_DENIED") == 0);
  CHECK(judged(opening({"./**"}), ceiling).find("PERMISSION_DENIED") == 0);
  CHECK(judged(opening({"/srv/data/a"}), allowing({})).find("PERMISSION_DENIED") == 0);
}

TEST_CASE("a rule that the ceiling closes partly is noted, each part once") {
  CHECK(
      judged(opening({"/var/**"}), denying({"/var/lib", "/var/lib/**", "/var/run"})) ==
      "this server's ceiling allows only a part of read `/var/**` (x/BAND.md:1): it denies `/var/lib` (server.yaml:1), "
      "`/var/run` (server.yaml:3)\n");
  CHECK(judged(opening({"/var/**/a"}), denying({"/var/lib"})).find("allows only a part") != std::string::npos);
  CHECK(judged(opening({"/srv/**"}), allowing({"/srv/data/**"})) ==
        "this server's ceiling allows only a part of read `/srv/**` (x/BAND.md:1): its allow rules are narrower\n");
}

TEST_CASE("a rule that another layer of the band closes completely is not checked") {
  const Domain extended = {{rules({"/opt/x/**"}), rules({"/opt/**", "/etc/**"}, "base/BAND.md")}, {}, {}};
  CHECK(judged(extended, denying({"/etc"})) == "ok");
  CHECK(judged(extended, denying({"/opt/x"})).find("PERMISSION_DENIED: read `/opt/x/**` (x/BAND.md:1)") == 0);
}

TEST_CASE("a rule that the band itself denies is noted, and does not fail the run") {
  Domain own = opening({"/etc/**", "/opt/**"});
  own.deny = rules({"/etc"}, "nokeys/BAND.md");
  CHECK(judged(own, denying({"/etc"})) ==
        "read `/etc/**` (x/BAND.md:1) has no effect, because the band denies it with `/etc` (nokeys/BAND.md:1)\n");
}

TEST_CASE("rules that take too long to compare are refused") {
  std::string star;
  for (int i = 0; i < 1000; ++i) star += "*x";
  Domain hostile;
  hostile.opened = {rules(std::vector<std::string>(64, "/" + star + "a"))};
  hostile.deny = rules(std::vector<std::string>(64, "/" + star + "b"));
  CHECK(judged(hostile, {}).find("BAD_REQUEST") == 0);
}

TEST_CASE("host rules are compared with the ceiling like path rules") {
  const auto net = [](const Domain& request, const Domain& ceiling) { return judged(request, ceiling, &Rules::net); };
  CHECK(net(opening({"a.example"}), denying({"*.example"})) ==
        "PERMISSION_DENIED: net `a.example` (x/BAND.md:1) is denied by this server's ceiling with "
        "`*.example` (server.yaml:1)");
  CHECK(net(opening({"a.example:22"}), denying({"a.example"})).find("PERMISSION_DENIED") == 0);  // all ports
  CHECK(net(opening({"a.example"}), allowing({"b.example"})).find("PERMISSION_DENIED") == 0);
  CHECK(net(opening({"a.example"}), allowing({"a.example:22"})).find("PERMISSION_DENIED") == 0);
  CHECK(net(opening({"a.example"}), allowing({})).find("PERMISSION_DENIED") == 0);
  CHECK(net(opening({"a.example:22"}), denying({"a.example:23", "10.0.0.0/8"})) == "ok");
  CHECK(net(opening({"a.example", "8.8.8.8:8080"}), allowing({"*", "8.0.0.0/8:*"})) == "ok");
  CHECK(net(opening({"*.example"}), denying({"gist.example", "b.other"})) ==
        "this server's ceiling allows only a part of net `*.example` (x/BAND.md:1): it denies `gist.example` "
        "(server.yaml:1)\n");
  CHECK(net(opening({"a.example:*"}), allowing({"a.example"})).find("its allow rules are narrower") !=
        std::string::npos);
}

TEST_CASE("a rule for a private address is refused unless the operator opens that address") {
  const auto net = [](const std::string& pattern, const std::vector<std::string>& allow_private) {
    std::vector<Cidr> ranges;
    for (const std::string& text : allow_private) ranges.push_back(Cidr::parse(text).value());
    return judged(opening({pattern}), {}, &Rules::net, ranges);
  };
  CHECK(net("10.1.2.0/24:8080", {}) ==
        "PERMISSION_DENIED: net `10.1.2.0/24:8080` (x/BAND.md:1) has no effect, because it is private (RFC 1918) "
        "and not in the server's gateway.allow_private");
  CHECK(net("10.1.2.0/24:8080", {"10.0.0.0/8"}) == "ok");
  CHECK(net("10.1.2.0/24:8080", {"10.1.2.3/32"}) == "ok");  // a part; the relay checks each address
  CHECK(net("10.1.2.0/24:8080", {"10.1.3.0/24", "127.0.0.0/8"}).find("PERMISSION_DENIED") == 0);
  CHECK(net("localhost:5432", {}).find("PERMISSION_DENIED") == 0);
  CHECK(net("localhost:5432", {"127.0.0.1"}) == "ok");
  CHECK(net("169.254.169.254", {"169.254.0.0/16"}).find("metadata service") != std::string::npos);
  for (const char* open : {"*", "a.example", "*.example", "8.8.8.8", "0.0.0.0/0"}) CHECK(net(open, {}) == "ok");
  // A rule that another layer closes completely is not checked.
  const Domain extended = {{rules({"a.example"}), rules({"10.0.0.0/8", "*"}, "base/BAND.md")}, {}, {}};
  CHECK(judged(extended, {}, &Rules::net) == "ok");
}

TEST_CASE("the hint for a closed path shows how to name a file of the caller") {
  const auto hint = [](const std::string& pattern, const Domain& ceiling) {
    Rules asked, allowed;
    asked.read = opening({pattern});
    allowed.read = ceiling;
    const auto notes = what_is_closed(asked, allowed, {});
    REQUIRE_FALSE(notes.ok());
    return notes.error().hint;
  };
  for (const Domain& ceiling : {denying({"/home"}), allowing({"/srv/**"})}) {
    CHECK(hint("/home/me/data/*", ceiling).find("for a file of the caller write `./...`") == 0);
    CHECK(hint("/home/me/data/*", ceiling).find("allow it under `ceiling` in /etc/band/server.yaml") !=
          std::string::npos);
  }
  CHECK(hint("./**", allowing({"/srv/**"})).find("allow it under `ceiling`") == 0);
}

TEST_CASE("the hint for a private address shows the setting, and states when an address is never reachable") {
  const auto hint = [](const std::string& pattern) {
    Rules asked;
    asked.net = opening({pattern});
    const auto notes = what_is_closed(asked, {}, {});
    REQUIRE_FALSE(notes.ok());
    return notes.error().hint;
  };
  CHECK(hint("localhost:5432") ==
        "allow it with `gateway: {allow_private: [127.0.0.1]}` in /etc/band/server.yaml, or remove the rule from the "
        "band");
  struct Row {
    const char *pattern, *says;
  };
  const Row rows[] = {
      {"10.1.2.0/24:8080", "allow_private: [10.1.2.0/24]"},
      {"10.1.2.3", "allow_private: [10.1.2.3]"},
      {"[::1]", "allow_private: [\"::1\"]"},
      {"169.254.0.0/16", "allow_private: [169.254.0.0/16]"},  // also has addresses that are not metadata services
      {"169.254.169.254", "no setting allows a metadata service"},
      {"168.63.129.16", "no setting allows a metadata service"},
      {"2001:db8::1", "the host's real address"},
      {"192.0.2.0/24", "the host's real address"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.pattern);
    CHECK_MESSAGE(hint(row.pattern).find(row.says) != std::string::npos, hint(row.pattern));
    const bool opens = std::string(row.says).starts_with("allow_private");
    CHECK((hint(row.pattern).find("allow_private") != std::string::npos) == opens);
  }
}
