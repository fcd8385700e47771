// The commands of an execution, from its rules (schemas/commands/plan.h).
#include "schemas/commands/plan.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "schemas/pattern/shell_names.h"
#include "schemas/programs/essentials.h"

using namespace band;

namespace {

using Patterns = std::vector<std::string>;

RuleSet rules(const Patterns& patterns, const std::string& file = "x/BAND.md") {
  RuleSet set;
  for (const std::string& pattern : patterns) set.push_back({pattern, file + ":" + std::to_string(set.size() + 1)});
  return set;
}

// Returns "declared | shimmed | builtins", or the error message.
std::string planned(const Domain& cli) {
  const auto plan = plan_commands(cli);
  if (!plan.ok()) return std::string(code_name(plan.error().code)) + ": " + plan.error().message();
  std::string text;
  for (const auto& command : plan->declared) {
    text += command.word + " ";
    CHECK(command.word.ends_with(command.name));
  }
  text += "|";
  for (const std::string& name : plan->shimmed) text += " " + name;
  text += " |";
  for (const std::string& name : plan->builtins) text += " " + name;
  return text;
}

Domain domain(const Patterns& allow, const Patterns& deny = {}, const Patterns& insist = {}) {
  Domain cli{{}, rules(deny, "d"), rules(insist, "i")};
  RuleSet opened = rules(allow);
  for (const Rule& rule : cli.insist) opened.push_back(rule);
  if (!opened.empty()) cli.opened.push_back(std::move(opened));
  return cli;
}

}  // namespace

TEST_CASE("all cli rules that can never work are reported together, each with a hint") {
  const std::string names = planned(domain({"gh *", "/opt/x/jq *", "/opt/x/gh *", "band-shim *", "/opt/y/gh"}));
  for (const char* part :
       {"SKILL_INVALID: ", "x/BAND.md:2: `/opt/x/jq` has the name of an essential command; write `jq`",
        "x/BAND.md:4: `band-shim` cannot be a command's name; use another name",
        "`/opt/y/gh` and `/opt/x/gh` (x/BAND.md:3) have the same name",
        "`gh` and `/opt/y/gh` (x/BAND.md:5) have the same name"}) {
    CAPTURE(names);
    CHECK(names.find(part) != std::string::npos);
  }
  const std::string words = planned(domain({"git *"}, {"bash -c *", "sh"}, {"cd x"}));
  for (const char* part : {"d:1: cli pattern \"bash -c *\" names `bash`", "d:2: cli pattern \"sh\"", "i:1: "}) {
    CAPTURE(words);
    CHECK(words.find(part) != std::string::npos);
  }
  CHECK(words.find("i:1: ") == words.rfind("i:1: "));
}

TEST_CASE("opened commands are declared, and essentials that a rule names are shimmed") {
  CHECK(planned(domain({})) == "| |");
  CHECK(planned(domain({"gh issue *", "gh pr *", "/opt/x/tool"})) == "gh /opt/x/tool | |");
  CHECK(planned(domain({"gh *"}, {}, {"git push"})) == "gh git | |");
  CHECK(planned(domain({"jq *"})) == "| jq |");
  CHECK(planned(domain({"/usr/bin/jq *", "/bin/sed *"})) == "| jq sed |");
  CHECK(planned(domain({}, {"rm -rf *", "/opt/y/cp *", "curl *"})) == "| cp rm |");
  CHECK(planned(domain({}, {}, {"echo hello", "test *"})) == "| echo test | echo test");
  CHECK(planned(domain({"'[' *", "pwd"})) == "| [ pwd | [ pwd");
  CHECK(planned(domain({"bash *", "/bin/sh -c *"})) == "| |");
}

TEST_CASE("a command that the operator's ceiling does not name does not exist and need not be installed") {
  Domain cli = domain({"gh *", "git *"}, {"gh auth *"});
  cli.opened.push_back(rules({"git *", "gh2 *", "/opt/x/gh *", "jq *"}, "server.yaml"));
  CHECK(planned(cli) == "git | jq |");
  cli.opened.push_back({});
  CHECK(planned(cli) == "| jq |");
}

TEST_CASE("rules without a valid plan are SKILL_INVALID, with their line") {
  struct Row {
    Domain cli;
    const char* what;
  };
  const Row rows[] = {
      {domain({"git *", "cd *"}), "x/BAND.md:2: cli pattern \"cd *\" names `cd`, a builtin or keyword of bash"},
      {domain({}, {"export *"}), "d:1: cli pattern \"export *\" names `export`, a builtin or keyword of bash"},
      {domain({}, {"bash -c *"}), "d:1: cli pattern \"bash -c *\" names `bash`, which runs the script itself"},
      {domain({}, {}, {"sh *"}), "i:1: cli pattern \"sh *\" names `sh`, which runs the script itself"},
      {domain({"gh *", "/opt/x/gh *"}), "x/BAND.md:1: `gh` and `/opt/x/gh` (x/BAND.md:2) have the same name"},
      {domain({"/opt/x/jq *"}), "x/BAND.md:1: `/opt/x/jq` has the name of an essential command"},
      {domain({"band-shim *"}), "x/BAND.md:1: `band-shim` cannot be a command's name"},
      {domain({std::string(256, 'a')}), "cannot be a command's name"},
      {domain({"a|b"}), "unquoted"},
  };
  for (const Row& row : rows) {
    const std::string text = planned(row.cli);
    CHECK_MESSAGE(text.find(row.what) != std::string::npos, text);
    CHECK(text.find("SKILL_INVALID: ") == 0);
  }
  CHECK(planned(domain({std::string(255, 'a')})) == std::string(255, 'a') + " | |");
}

TEST_CASE("the essentials contain each builtin that is a program, and no other builtin") {
  for (const std::string_view name : kShellAlsoNames) CHECK(is_essential(name));
  for (const std::string_view name : kShellOwnNames) CHECK_FALSE(is_essential(name));
  CHECK(essential_of("jq") == "jq");
  CHECK(essential_of("/usr/bin/[") == "[");
  for (const char* word :
       {"/opt/bin/jq", "/usr/bin/bin/jq", "/bin/usr/bin/jq", "/usr/bin//bin/jq", "gh", "/jq", "bin/jq"})
    CHECK(essential_of(word).empty());
}
