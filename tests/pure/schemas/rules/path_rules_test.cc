#include "schemas/rules/path_rules.h"

#include <doctest/doctest.h>

#include "schemas/rules/machine_paths.h"

using namespace band;

namespace {

RuleSet set(const std::vector<std::string>& patterns, const std::string& file) {
  RuleSet rules;
  for (const std::string& pattern : patterns) rules.push_back({pattern, file + ":" + std::to_string(rules.size() + 1)});
  return rules;
}

// "allow ./a, own:1", "deny ./b, own:2", "layer 1".
std::string judged(const Domain& domain, const std::string& path, bool absolute = false) {
  const PathRules rules = PathRules::compile(domain).value();
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
