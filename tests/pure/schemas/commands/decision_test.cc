// Decisions about command lines (schemas/commands/decision.h).
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "schemas/commands/decision.h"
#include "schemas/core/utf8.h"

using namespace band;
using Args = std::vector<std::string>;
using Outcome = Decision::Outcome;

namespace {

RuleSet rules(const Args& patterns, const std::string& file) {
  RuleSet set;
  for (const std::string& pattern : patterns) set.push_back({pattern, file + ":" + std::to_string(set.size() + 1)});
  return set;
}

Domain domain(const Args& allow, const Args& deny = {}, const Args& insist = {}) {
  Domain cli{{}, rules(deny, "d"), rules(insist, "i")};
  RuleSet opened = rules(allow, "a");
  for (const Rule& rule : cli.insist) opened.push_back(rule);
  if (!opened.empty()) cli.opened.push_back(std::move(opened));
  return cli;
}

CommandRules compiled(const Domain& cli) {
  const auto plan = plan_commands(cli);
  REQUIRE_MESSAGE(plan.ok(), plan.error().message());
  auto compiled = CommandRules::compile(cli, *plan);
  REQUIRE(compiled.ok());
  return std::move(compiled).value();
}

// "allowed: REASON", "denied: ...", "undeclared: ..."
std::string decided(const Domain& cli, const Args& argv) {
  const Decision decision = compiled(cli).decide(argv);
  const char* words[] = {"allowed: ", "denied: ", "undeclared: "};
  CHECK(decision.for_stderr(argv).empty() == (decision.outcome == Outcome::Allowed));
  return words[static_cast<int>(decision.outcome)] + decision.reason;
}

}  // namespace

TEST_CASE("a command line runs when a rule opens it and no deny names it") {
  const Domain cli = domain({"gh *", "jq *", "git status", "/opt/x/tool --a=*"},
                            {"jq -r *", "gh auth **", "gh ** --token=*", "rm -rf *"}, {"gh issue create *"});
  struct Row {
    Args argv;
    std::string decision;
  };
  const Row rows[] = {
      {{"gh", "pr", "list"}, "allowed: allow.cli \"gh *\", a:1"},
      {{"gh"}, "allowed: allow.cli \"gh *\", a:1"},
      {{"gh", "auth", "login"}, "denied: deny.cli \"gh auth **\", d:2"},
      {{"gh", "pr", "--token=x"}, "denied: deny.cli \"gh ** --token=*\", d:3"},
      {{"gh", "pr", "--token", "x"}, "allowed: allow.cli \"gh *\", a:1"},
      {{"git", "status"}, "allowed: allow.cli \"git status\", a:3"},
      {{"git", "status", ""}, "denied: no rule of allow.cli matches; nearest \"git status\", a:3"},
      {{"git"}, "denied: no rule of allow.cli matches; nearest \"git status\", a:3"},
      // Essentials need no rule, and a rule that opens one closes nothing.
      {{"jq", "-r", "."}, "denied: deny.cli \"jq -r *\", d:1"},
      {{"jq", "."}, "allowed: allow.cli \"jq *\", a:2"},
      {{"rm", "x"}, "allowed: an essential command"},
      {{"rm", "-rf", "x"}, "denied: deny.cli \"rm -rf *\", d:4"},
      {{"rm", "-rf x"}, "allowed: an essential command"},
      // Compared by the shim's name; the program is started from the path in the rule.
      {{"tool", "--a=1"}, "allowed: allow.cli \"/opt/x/tool --a=*\", a:4"},
      {{"tool", "--b"}, "denied: no rule of allow.cli matches; nearest \"/opt/x/tool --a=*\", a:4"},
      {{"/opt/x/tool", "--a=1"}, "undeclared: no rule of allow.cli names it; \"/opt/x/tool *\" would allow it"},
      {{"curl", "x"}, "undeclared: no rule of allow.cli names it; \"curl *\" would allow it"},
      {{"sed", "x"},
       "undeclared: the command exists, but not in a directory of PATH"},  // no rule names it: it has no shim
      {{"bash", "-c", "x"}, "undeclared: the command exists, but not in a directory of PATH"},
      {{""}, "undeclared: no rule of allow.cli names it; \"'' *\" would allow it"},
      {{}, "undeclared: no rule of allow.cli names it; \"'' *\" would allow it"},
  };
  for (const Row& row : rows) CHECK(decided(cli, row.argv) == row.decision);
}

TEST_CASE(
    "a deny also closes a line with further arguments, in the band and in the operator's ceiling; an allow does not "
    "open one") {
  const Domain cli = domain({"npm *", "git *", "gh pr list"}, {"npm publish*", "git push", "rm -rf /work"});
  CHECK(decided(cli, {"npm", "publish"}) == "denied: deny.cli \"npm publish*\", d:1");
  CHECK(decided(cli, {"npm", "publish", "--tag", "x"}) == "denied: deny.cli \"npm publish*\", d:1");
  CHECK(decided(cli, {"git", "push", "--force"}) == "denied: deny.cli \"git push\", d:2");
  CHECK(decided(cli, {"rm", "-rf", "/work", "x"}) == "denied: deny.cli \"rm -rf /work\", d:3");
  CHECK(decided(cli, {"npm", "view", "publish"}) == "allowed: allow.cli \"npm *\", a:1");
  CHECK(decided(cli, {"git", "log", "push"}) == "allowed: allow.cli \"git *\", a:2");
  CHECK(decided(cli, {"gh", "pr", "list", "--web"}).starts_with("denied: no rule of allow.cli matches"));
  Domain under_ceiling = domain({"git *"});
  under_ceiling.deny = rules({"git push"}, "server.yaml");
  CHECK(decided(under_ceiling, {"git", "push", "--force"}) == "denied: deny.cli \"git push\", server.yaml:1");
}

TEST_CASE("the nearest rule is the one that matches the most words") {
  const Domain cli = domain({"gh pr list", "gh issue list", "gh issue comment * --body *", "gh ** view"});
  CHECK(decided(cli, {"gh", "issue", "create"}).ends_with("nearest \"gh issue list\", a:2"));
  CHECK(decided(cli, {"gh", "issue", "comment", "5"}).ends_with("nearest \"gh issue comment * --body *\", a:3"));
  CHECK(decided(cli, {"gh", "repo"}).ends_with("nearest \"gh pr list\", a:1"));
}

TEST_CASE("an insist opens, and is named as such") {
  const Domain cli = domain({"gh issue list"}, {}, {"gh issue create *"});
  CHECK(decided(cli, {"gh", "issue", "create", "x"}) == "allowed: insist.cli \"gh issue create *\", i:1");
  const Domain denied = domain({}, {"gh issue create *"}, {"gh issue create -t *"});
  CHECK(decided(denied, {"gh", "issue", "create", "-t", "x"}) == "denied: deny.cli \"gh issue create *\", d:1");
}

TEST_CASE("every layer must open a command line, and the reason names the layer that does not") {
  Domain cli = domain({"gh *", "git *", "curl *", "/opt/x/tool *"});
  cli.opened.push_back(rules({"gh issue *", "gh pr *", "git *", "tool *"}, "server.yaml"));
  CHECK(decided(cli, {"gh", "issue", "list"}) == "allowed: allow.cli \"gh *\", a:1");
  CHECK(decided(cli, {"gh", "auth"}) == "denied: no rule of allow.cli matches; nearest \"gh issue *\", server.yaml:1");
  CHECK(decided(cli, {"curl", "x"}) == "undeclared: allow.cli \"curl *\", a:3, but server.yaml does not allow it");
  CHECK(decided(cli, {"tool", "x"}) ==
        "undeclared: allow.cli \"/opt/x/tool *\", a:4, but server.yaml does not allow it");
  cli.opened.push_back({});
  CHECK(decided(cli, {"git"}) ==
        "undeclared: allow.cli \"git *\", a:2, but another band of its `extends` chain, or the operator's ceiling, "
        "does not allow it");
}

TEST_CASE("a path opens only its own program, and a deny of the path or of the name denies both") {
  Domain cli = domain({"gh issue *"}, {"/usr/bin/gh auth *"});
  cli.opened.push_back(rules({"/opt/x/gh **", "gh *"}, "server.yaml"));
  CHECK(decided(cli, {"gh", "issue", "x"}) == "allowed: allow.cli \"gh issue *\", a:1");
  cli.opened.back().pop_back();
  CHECK(decided(cli, {"gh", "issue", "x"}).starts_with("undeclared: "));
  CHECK(decided(domain({"gh *"}, {"/usr/bin/gh auth *"}), {"gh", "auth", "login"}) ==
        "denied: deny.cli \"/usr/bin/gh auth *\", d:1");
  CHECK(decided(domain({"/opt/x/gh *"}, {"gh auth *"}), {"gh", "auth"}) == "denied: deny.cli \"gh auth *\", d:1");
}

TEST_CASE("texts for the caller and the ledger are quoted, escaped and cut") {
  const CommandRules rules = compiled(domain({"gh issue *"}, {"jq -r *"}));
  const auto texts = [&](const Args& argv) {
    const Decision decision = rules.decide(argv);
    return decision.for_stderr(argv) + "|" + decision.for_ledger(argv);
  };
  CHECK(texts({"jq", "-r", ".a"}) ==
        "band: denied: jq -r .a  (deny.cli \"jq -r *\", d:1)\n|denied: jq -r .a  (deny.cli \"jq -r *\", d:1)");
  CHECK(texts({"gh", "repo", "delete x"})
            .starts_with(
                "band: denied: gh repo 'delete x'  (no rule of allow.cli matches; nearest \"gh issue *\", a:1)\n"));
  CHECK(texts({"jq", "."}) == "|jq .  (an essential command)");
  CHECK(texts({"curl"}).starts_with(
      "band: curl: command not found  (no rule of allow.cli names it; \"curl *\" would allow it)\n"));
  for (const Args& argv : {Args{"gh", "\x1b]0;x\x07\n\xff\u202e"}, Args{"gh", std::string(2 << 20, '\x80')},
                           Args{std::string(2 << 20, '\n')}, Args(1 << 20, "gh")}) {
    const Decision decision = rules.decide(argv);
    for (const std::string& text : {decision.for_stderr(argv), decision.for_ledger(argv)}) {
      CHECK(text.size() < 1024);
      CHECK(is_valid_utf8(text));
      for (const char c : text.substr(0, text.size() - 1)) CHECK(static_cast<unsigned char>(c) >= 0x20);
    }
  }
  // Rules are received over the wire, so their text is not trusted either.
  Domain cli{{{{"gh '\x1b[2J" + std::string(4000, 'x') + "'", "\x1b[31m" + std::string(1000, 'y') + ":1"}}}, {}, {}};
  const std::string text = compiled(cli).decide({"gh", "a"}).for_stderr({"gh", "a"});
  CHECK(text.size() < 600);
  CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("a command that bash does not find is undeclared, with the rule that would allow it") {
  const CommandRules rules = compiled(domain({"gh *"}));
  CHECK(rules.not_found({"curl", "x"}).for_ledger({"curl", "x"}) ==
        "not found: curl x  (no rule of allow.cli names it; \"curl *\" would allow it)");
  CHECK(rules.not_found({"gh", "x"}).reason == "the command exists, but not in a directory of PATH");
  CHECK(rules.not_found({"gh"}).outcome == Outcome::Undeclared);
}

TEST_CASE("a line that is too long to compare with the rules is denied, within a time limit") {
  Args allow{"gh **"}, deny;
  for (int i = 0; i < 200; ++i) deny.push_back("gh ** *a" + std::to_string(i) + "b*");
  const CommandRules rules = compiled(domain(allow, deny));
  const auto began = std::chrono::steady_clock::now();
  CHECK(rules.decide({"gh", std::string(100'000, 'a')}).outcome == Outcome::Allowed);
  CHECK(rules.decide({"gh", std::string(100'000, 'a') + "a7b"}).outcome == Outcome::Denied);
  CHECK(rules.decide({"gh", std::string(2 << 20, 'a')}).reason.find("command line is too long") != std::string::npos);
  CHECK(rules.decide(Args(1'000'000, "gh")).reason.find("command line is too long") != std::string::npos);
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(3));
  // Rules without stars in the middle accept lines of any length.
  CHECK(compiled(domain({"gh issue *"}, Args(200, "gh auth *"))).decide(Args(1'000'000, "gh")).outcome ==
        Outcome::Denied);
  Args many(1'000'000, "x");
  many[0] = "gh";
  CHECK(compiled(domain({"gh *"}, {"gh ** -f **"})).decide(many).outcome == Outcome::Allowed);
}

TEST_CASE(
    "property: deny has precedence, further allow rules never close anything, the order of rules does not matter") {
  std::mt19937 engine(23);
  const auto below = [&](std::size_t n) { return engine() % n; };
  const Args words{"a", "b", "a*", "*b", "*a*", "*", "**"};
  const auto pattern = [&] {
    std::string text = below(4) == 0 ? "jq" : "gh";
    for (std::size_t n = below(4); n > 0; --n) text += " " + words[below(words.size())];
    return text;
  };
  const auto patterns = [&](std::size_t most) {
    Args list;
    for (std::size_t n = below(most); n > 0; --n) list.push_back(pattern());
    return list;
  };
  int allowed = 0, denied = 0;
  for (int i = 0; i < 3000; ++i) {
    const Args allow = patterns(4), more = patterns(3), deny = patterns(3), ceiling = patterns(4);
    const auto build = [&](const Args& opened, bool shuffled) {
      Domain cli = domain(opened, deny);
      if (!ceiling.empty() && !cli.opened.empty()) cli.opened.push_back(rules(ceiling, "c"));
      if (shuffled) {
        for (RuleSet& layer : cli.opened) std::shuffle(layer.begin(), layer.end(), engine);
        std::shuffle(cli.deny.begin(), cli.deny.end(), engine);
        std::shuffle(cli.opened.begin(), cli.opened.end(), engine);
      }
      return compiled(cli);
    };
    Args wider = allow;
    wider.insert(wider.end(), more.begin(), more.end());
    const CommandRules narrow = build(allow, false), wide = build(wider, false), mixed = build(allow, true);
    for (int line = 0; line < 5; ++line) {
      Args argv{below(4) == 0 ? "jq" : "gh"};
      for (std::size_t n = below(4); n > 0; --n) argv.push_back(std::string(1, "ab"[below(2)]) + (below(2) ? "b" : ""));
      const Outcome outcome = narrow.decide(argv).outcome;
      CHECK(mixed.decide(argv).outcome == outcome);
      if (outcome == Outcome::Allowed) CHECK(wide.decide(argv).outcome == Outcome::Allowed);
      for (const std::string& text : deny) {
        const auto denied_pattern = CliPattern::parse(text);
        // A denied line stays denied with any further arguments.
        for (Args line_before = argv; !line_before.empty(); line_before.pop_back())
          if (denied_pattern->matches(line_before)) CHECK(wide.decide(argv).outcome != Outcome::Allowed);
      }
      allowed += outcome == Outcome::Allowed;
      denied += outcome == Outcome::Denied;
    }
  }
  CHECK(allowed > 500);
  CHECK(denied > 500);
}
