#include "schemas/rules/path_rules.h"

#include <doctest/doctest.h>

#include <ctime>

#include "schemas/rules/machine_paths.h"

using namespace band;

namespace {

RuleSet set(const std::vector<std::string>& patterns, const std::string& file) {
  RuleSet rules;
  for (const std::string& pattern : patterns) rules.push_back({pattern, file + ":" + std::to_string(rules.size() + 1)});
  return rules;
}

// "allow ./a, own:1", "deny ./b, own:2", "layer 1".
std::string judged(const Domain& domain, const std::string& path, bool absolute = false,
                   PathRules::Use use = PathRules::Use::Read) {
  const PathRules rules = PathRules::compile(domain, use).value();
  const PathVerdict verdict = rules.judge(path, absolute);
  CHECK(verdict.allowed == rules.opens(path, absolute));
  CHECK((std::string(verdict.section) == "deny") == rules.denies(path, absolute));
  if (!verdict.rule) return "layer " + std::to_string(verdict.index);
  return verdict.section + (" " + verdict.rule->pattern) + ", " + verdict.rule->origin;
}

}  // namespace

TEST_CASE("judge() returns the rule that opens or closes a path") {
  const Domain domain = {{set({"./a/*", "./a/**"}, "own"), set({"./**", "./a/x"}, "base")},
                         set({"./a/no", "./a/n*"}, "own"),
                         {{"./a/**", "own:2"}}};
  CHECK(judged(domain, "a/x") == "allow ./a/*, own:1");
  CHECK(judged(domain, "a/b/c") == "insist ./a/**, own:2");
  CHECK(judged(domain, "a/no/below") == "deny ./a/no, own:1");
  CHECK(judged(domain, "a/new") == "deny ./a/n*, own:2");
  CHECK(judged(domain, "b") == "layer 0");
  CHECK(judged(domain, "a/x", true) == "layer 0");
  CHECK(judged({{set({"./**"}, "own"), set({"./a"}, "base")}, {}, {}}, "b") == "layer 1");
  CHECK(judged({}, "b") == "layer 0");
  CHECK(judged({{}, set({"./b"}, "own"), {}}, "b") == "deny ./b, own:1");
}

TEST_CASE("for writing, a name that programs execute or obey is opened only by a rule that spells it, in every layer") {
  struct Row {
    const char *pattern, *path;
    bool written, spelled;
  };
  const Row rows[] = {
      {"./**", "a.txt", true, false},
      {"./a.txt", "a.txt", true, true},
      {"./**/a.txt", "x/y/a.txt", true, true},
      {"./*/a.txt", "x/a.txt", true, true},
      {"./.cache/**", ".cache/x", true, false},
      {"./**", "Makefile", true, false},
      {"./**", "gradle/wrapper/gradle-wrapper.properties", false, false},
      {"./gradle/wrapper/*", "gradle/wrapper/gradle-wrapper.properties", false, false},
      {"./gradle/wrapper/gradle-wrapper.properties", "gradle/wrapper/gradle-wrapper.properties", true, true},
      {"./**", "OpenCode.JSON", false, false},
      {"./**", "x/opencode.json", false, false},
      {"./**/opencode.json", "x/opencode.json", true, true},
      {"./.envrc", ".envrc", true, true},
      {"./**/.envrc", "a/b/.envrc", true, true},
      {"./.env*", ".envrc", false, false},
      {"./.[e]nvrc", ".envrc", false, false},
      {"./.vscode/**", ".vscode/tasks.json", true, false},
      {"./.v*/**", ".vscode/tasks.json", false, false},
      {"./.claude/**", ".claude/notes.md", true, false},
      {"./.claude/**", ".claude/settings.local.json", false, false},
      {"./.claude/settings*.json", ".claude/settings.json", false, false},
      {"./.claude/settings.json", ".claude/settings.json", true, true},
      {"./.claude/**", ".claude/x/opencode.json", false, false},
      {"./.github/**", ".github/workflows/ci.yml", false, false},
      {"./.github/workflows/*", ".github/workflows/ci.yml", true, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.pattern);
    CAPTURE(row.path);
    const Domain domain = {{set({row.pattern}, "own")}, {}, {}};
    const PathRules writes = PathRules::compile(domain, PathRules::Use::Write).value();
    CHECK(writes.opens(row.path, false) == row.written);
    CHECK(writes.spells_name(row.path, false) == row.spelled);
    CHECK(judged(domain, row.path, false, PathRules::Use::Write).starts_with("allow") == row.written);
    CHECK(PathRules::compile(domain, PathRules::Use::Read).value().opens(row.path, false));  // the control
    Domain denied = domain;
    denied.deny = set({row.pattern}, "own");
    CHECK_FALSE(PathRules::compile(denied, PathRules::Use::Write).value().spells_name(row.path, false));
  }
  Domain two = {{set({"./opencode.json"}, "own"), set({"./**"}, "base")}, {}, {}};
  CHECK_FALSE(PathRules::compile(two, PathRules::Use::Write).value().opens("opencode.json", false));
  two.opened[1].push_back({"./*", "base:2"});
  CHECK(judged(two, "opencode.json", false, PathRules::Use::Write) == "layer 1");
  two.opened[1].push_back({"./opencode.json", "base:3"});
  CHECK(judged(two, "opencode.json", false, PathRules::Use::Write) == "allow ./opencode.json, own:1");
}

TEST_CASE("the value of a placeholder never spells a name, and opens names that begin with a dot only with `dot`") {
  const auto opens = [](const std::string& path, bool dot, bool from_input, PathRules::Use use) {
    const Rule rule{"./" + path, "own:1", false, dot, from_input};
    const PathRules rules = PathRules::compile({{{rule}}, {}, {}}, use).value();
    CHECK(rules.spells_name(path, false) == (!dot && !from_input));
    return rules.opens(path, false);
  };
  using enum PathRules::Use;
  for (const bool on_client : {false, true}) {  // requests do not have Rule::from_input
    CHECK(opens(".cache/x", true, on_client, Write));
    for (const char* path : {".envrc", "x/.ENVRC", ".claude/settings.json", "gradle-wrapper.jar"})
      CHECK_FALSE(opens(path, true, on_client, Write));
  }
  CHECK_FALSE(opens(".cache/x", false, true, Write));
  CHECK_FALSE(opens("gradle-wrapper.jar", false, true, Write));
  CHECK(opens("a.txt", false, true, Write));
  for (const char* path : {".cache/x", ".envrc"}) {
    CHECK(opens(path, false, false, Write));  // a rule that spells the name
    CHECK(opens(path, false, true, Read));
  }
}

TEST_CASE("patterns that no machine can mount are refused regardless of its files") {
  const auto reading = [](const std::string& pattern) {
    Rules rules;
    rules.read.opened.push_back(set({"./x", pattern}, "own"));
    const Status status = check_machine_paths(rules);
    return status.ok() ? "ok" : status.error().message();
  };
  CHECK(reading("/opt/**") == "ok");
  CHECK(reading("/tmpx/**") == "ok");
  CHECK(reading("/**") == "view: `/**` allows the whole machine");
  CHECK(reading("/tmp/x").find("no rule can allow the machine's /tmp") != std::string::npos);
  CHECK(reading("/proc").find("no rule can allow the machine's /proc") != std::string::npos);
  Rules rules;
  rules.write = {{set({"/srv/**"}, "own")}, set({"/srv/*.key"}, "own"), {}};
  CHECK_FALSE(check_machine_paths(rules).ok());
  rules.write.deny = set({"/srv/a.key", "/opt/*.key"}, "own");
  CHECK(check_machine_paths(rules).ok());
}

TEST_CASE("the denies of read apply to written paths, too, after the denies of write") {
  const Domain both = with_both_denies({{}, set({"/a"}, "write"), {}}, {{}, set({"/b"}, "read"), {}});
  CHECK(both.deny.size() == 2);
  CHECK(both.deny.at(1).pattern == "/b");
}

TEST_CASE(
    "a deny decides about a path of any depth, and names the rule that denies the directory nearest to the root") {
  Domain domain;
  domain.opened = {{{"./**", "allow"}}};
  domain.deny = {{"./a/**/x", "1"}, {"./a/b", "2"}, {"./a/*", "3"}, {"./a", "4"}};
  const PathRules rules = PathRules::compile(domain, PathRules::Use::Read).value();
  const auto denied_by = [&](const char* path) {
    const PathVerdict verdict = rules.judge(path, false);
    return std::string(verdict.section) == "deny" ? verdict.rule->origin : "";
  };
  CHECK(denied_by("a/b/x") == "4");
  CHECK(denied_by("b/a").empty());  // the control
  domain.deny.pop_back();
  const PathRules inner = PathRules::compile(domain, PathRules::Use::Read).value();
  const auto by = [&](const char* path) { return inner.judge(path, false).rule->origin; };
  CHECK(by("a/b/x") == "2");  // "3" matches the same directory
  CHECK(by("a/x/b") == "1");
  CHECK(by("a/.c/x") == "3");
  CHECK(by("a") == "allow");

  std::string deep = "a";
  for (int i = 0; i < 20'000; ++i) deep += "/d";
  Domain other;
  other.opened = {{{"./**", "allow"}}};
  other.deny = {{"./**/no", "1"}, {"./**/no/**", "2"}};
  const PathRules many = PathRules::compile(other, PathRules::Use::Read).value();
  const std::clock_t began = std::clock();
  CHECK(many.opens(deep, false));
  CHECK_FALSE(many.opens(deep + "/no", false));
  CHECK(many.judge(deep + "/no/x/no", false).rule->origin == "1");
  CHECK(std::clock() - began < CLOCKS_PER_SEC);  // with one match for each directory above: 20 s
}
