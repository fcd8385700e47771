// `{path: /opt/x/**, optional: true}`: in a band, on the wire, and in the algebra of rules.
#include <doctest/doctest.h>

#include <string>

#include "schemas/core/json.h"
#include "schemas/permit/algebra.h"
#include "schemas/permit/compose.h"
#include "schemas/rules/rules.h"

using namespace band;

namespace {

std::optional<BandFile> parsed(const std::string& yaml, std::string& problem) {
  std::vector<Diagnostic> errors;
  auto band = parse_band("---\nband: x\n" + yaml + "\n---\n", "x/BAND.md", errors);
  problem.clear();
  for (const Diagnostic& error : errors) problem += error.text() + "\n";
  return band;
}

Json wire_rules(const char* domain, const char* list, const char* pattern) {
  const Json rule = {{"pattern", pattern}, {"origin", "x/BAND.md:1"}, {"optional", true}};
  const Json rules = Json::array({rule});
  Json value = Json::object();
  value[domain][list] = std::string(list) == "opened" ? Json::array({rules}) : rules;
  return value;
}

}  // namespace

TEST_CASE("a path of the machine can be optional in a band") {
  std::string problem;
  const auto band = parsed(
      "allow:\n  read: [\"./a\", {path: /opt/x/**, optional: true}, {path: /opt/y}]\n"
      "  write: {path: /srv/out/**, optional: true}",
      problem);
  REQUIRE_MESSAGE(band.has_value(), problem);
  REQUIRE(band->allow_read.size() == 3);
  CHECK_FALSE(band->allow_read[0].optional);
  CHECK(band->allow_read[1].pattern == "/opt/x/**");
  CHECK(band->allow_read[1].optional);
  CHECK(band->allow_read[1].origin == "x/BAND.md:4");
  CHECK(band->allow_read[2].pattern == "/opt/y");
  CHECK_FALSE(band->allow_read[2].optional);
  REQUIRE(band->allow_write.size() == 1);
  CHECK(band->allow_write[0].optional);
}

TEST_CASE("a rule that cannot be optional is reported with its position") {
  struct Row {
    const char *yaml, *what;
  };
  const Row rows[] = {
      {"insist:\n  read: [{path: /opt/x, optional: true}]", "x/BAND.md:4"},
      {"deny:\n  read: [{path: /opt/x, optional: true}]", "x/BAND.md:4"},
      {"allow:\n  cli: [{path: git, optional: true}]", "x/BAND.md:4"},
      {"allow:\n  net: [{path: a.example, optional: true}]", "x/BAND.md:4"},
      {"allow:\n  write: [{path: ./a, optional: true}]", "missing files"},
      {"allow:\n  read: [{path: /opt/x, optional: perhaps}]", "x/BAND.md:4"},
      {"allow:\n  read: [{optional: true}]", "path"},
      {"allow:\n  read: [{path: /opt/x, mode: r}]", "mode"},
      {"allow:\n  read: [{path: /opt/../x, optional: true}]", "`..`"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.yaml);
    std::string problem;
    CHECK_FALSE(parsed(row.yaml, problem).has_value());
    CHECK(problem.find(row.what) != std::string::npos);
  }
}

TEST_CASE("optional is kept on the wire where it is allowed, and is refused elsewhere") {
  const auto rules = rules_from_json(wire_rules("read", "opened", "/opt/x/**"));
  REQUIRE_MESSAGE(rules.ok(), rules.error().message());
  CHECK(rules->read.opened[0][0].optional);
  CHECK(rules_to_json(*rules)["read"]["opened"][0][0]["optional"] == true);
  for (const char* list : {"deny", "insist"}) {
    CAPTURE(list);
    CHECK(rules_from_json(wire_rules("read", list, "/opt/x/**")).error().code == Code::BadRequest);
  }
  CHECK_FALSE(rules_from_json(wire_rules("cli", "opened", "git")).ok());
  CHECK(rules_from_json(wire_rules("read", "opened", "./x")).ok());
  CHECK_FALSE(rules_from_json(wire_rules("write", "opened", "./x")).ok());
  Json wrong = wire_rules("read", "opened", "/opt/x/**");
  wrong["read"]["opened"][0][0]["optional"] = 1;
  CHECK_FALSE(rules_from_json(wrong).ok());
}

TEST_CASE(
    "a path that two bands open is optional only if it is optional in both; extends keeps the value of the nearest "
    "band") {
  const Domain needs{{{{"/opt/x/**", "a:1"}}}, {}, {}};
  const Domain may_miss{{{{"/opt/x/**", "b:1", true}}}, {}, {}};
  CHECK_FALSE(unite(needs, may_miss).opened[0][0].optional);
  CHECK_FALSE(unite(may_miss, needs).opened[0][0].optional);
  CHECK(unite(may_miss, may_miss).opened[0][0].optional);
  CHECK(restrict_to(may_miss, needs).opened[0][0].optional);
  CHECK_FALSE(restrict_to(needs, may_miss).opened[0][0].optional);
}

TEST_CASE("a placeholder of write can have `dot` in a band") {
  std::string problem;
  const auto band = parsed(
      "allow:\n  write: [\"{a}\", {path: \"{b}\", dot: true}, {path: \"{c}\", dot: false}]\n"
      "insist:\n  write: {path: \"{b}\", dot: true}",
      problem);
  REQUIRE_MESSAGE(band.has_value(), problem);
  REQUIRE(band->allow_write.size() == 3);
  CHECK_FALSE(band->allow_write[0].dot);
  CHECK(band->allow_write[1].dot);
  CHECK(band->allow_write[1].origin == "x/BAND.md:4");
  CHECK_FALSE(band->allow_write[2].dot);
  CHECK(band->insist_write.at(0).dot);
  const std::pair<const char*, const char*> wrong[] = {
      {"allow:\n  write: [{path: ./.x, dot: true}]", "only a placeholder"},
      {"allow:\n  write: [{path: /srv/x, dot: true}]", "only a placeholder"},
      {"allow:\n  read: [{path: \"{b}\", dot: true}]", "only a rule of `write`"},
      {"deny:\n  write: [{path: \"{b}\", dot: true}]", "x/BAND.md:4"},
      {"allow:\n  write: [{path: \"{b}\", dot: 1}]", "x/BAND.md:4"},
  };
  for (const auto& [yaml, what] : wrong) {
    CAPTURE(yaml);
    CHECK_FALSE(parsed(yaml, problem).has_value());
    CAPTURE(problem);
    CHECK(problem.find(what) != std::string::npos);
  }
}

TEST_CASE("`dot` is kept by includes, and extends cannot add it") {
  Domain with, without;
  with.opened = {{{.pattern = "{out}", .origin = "a:1", .dot = true}}};
  without.opened = {{{.pattern = "{out}", .origin = "b:1"}}};
  const Domain both = unite(without, with);
  REQUIRE(both.opened.size() == 1);
  CHECK(both.opened[0].at(0).dot);
  for (const Domain& narrowed : {restrict_to(with, without), restrict_to(without, with)}) {
    REQUIRE(narrowed.opened.size() == 2);  // each layer must open the path
    CHECK(narrowed.opened[0].at(0).dot != narrowed.opened[1].at(0).dot);
  }
  CHECK(restrict_to(with, with).opened.size() == 1);
}
