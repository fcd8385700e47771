#include "client/commands/exec_band.h"

#include <doctest/doctest.h>

#include "schemas/pattern/pattern.h"

using namespace band;
using namespace band::client;

namespace {

CommandLine line_of(std::vector<std::string> words) {
  words.insert(words.begin(), "exec");
  const auto line = parse_command_line(words);
  REQUIRE(line.ok());
  return *line;
}

Rules rules_of(std::vector<std::string> words) {
  const CommandLine line = line_of(std::move(words));
  const auto text = exec_band_text(line);
  REQUIRE(text.ok());
  const auto band = exec_band(line, *text);
  REQUIRE(band.ok());
  return band->rules;
}

// Returns true when the band allows this command line.
bool allows(const Rules& rules, const std::vector<std::string>& argv) {
  for (const RuleSet& layer : rules.cli.opened)
    for (const Rule& rule : layer)
      if (CliPattern::parse(rule.pattern)->matches(argv)) return true;
  return false;
}

}  // namespace

TEST_CASE("the command is allowed with exactly its words, for any characters") {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"git", "log"},
           {"python3", "-c", "print('it''s')"},
           {"gh", "api", "a b", "", "*", "**", "?", "[x]", "{}", "~", "$HOME", "`x`", "\\", "'", "\"", "#", "ä\n\t"}}) {
    std::vector<std::string> given = words;
    given.insert(given.begin(), "--");
    const Rules rules = rules_of(given);
    CHECK(allows(rules, words));
    std::vector<std::string> more = words, other = words;
    more.emplace_back("x");
    other.back() += "x";
    CHECK_FALSE(allows(rules, more));
    CHECK_FALSE(allows(rules, other));
  }
}

TEST_CASE("essentials, builtins of bash and commands that --cli covers need no rule") {
  CHECK(rules_of({"ls", "-l"}).cli.opens_nothing());
  CHECK(rules_of({"cd", "/"}).cli.opens_nothing());
  const Rules rules = rules_of({"--cli", "git log *", "--", "git", "log", "-1"});
  REQUIRE(rules.cli.opened.size() == 1);
  CHECK(rules.cli.opened[0].size() == 1);
}

TEST_CASE("each flag becomes a rule with the flag as its origin") {
  const Rules rules =
      rules_of({"--read", "src/**", "--read", "a: b #c", "--write", "out/*", "--net", "example.org:8080", "--env",
                "TOKEN", "--limit", "maxRuntimeMs=5m", "--limit", "maxFiles=7", "true"});
  REQUIRE(rules.read.opened.size() == 1);
  CHECK(rules.read.opened[0][1].pattern == "./a: b #c");
  CHECK(rules.read.opened[0][0].origin == "--read");
  CHECK(rules.write.opened[0][0].pattern == "./out/*");
  CHECK(rules.net.opened[0][0].pattern == "example.org:8080");
  REQUIRE(rules.env.size() == 1);
  CHECK(rules.env[0].secret);
  CHECK(rules.env[0].required);
  CHECK(rules.limit.maxRuntimeMs == 300'000);
  CHECK(rules.limit.maxFiles == 7);
}

TEST_CASE("bash gets the words unchanged") {
  CHECK(exec_source({"git", "log"}).starts_with("set -- git log\n"));
  CHECK(exec_source({"if", "a b", "it's"}).starts_with("set -- if 'a b' 'it'\\''s'\n"));
}

TEST_CASE("a directory opens everything below it") {
  const auto read = [](const std::string& path) {
    return rules_of({"--workspace", "/usr", "--read", path, "true"}).read.opened.at(0).at(0).pattern;
  };
  CHECK(read("share") == "./share/**");
  CHECK(read("./share//") == "./share/**");
  CHECK(read("new/") == "./new/**");
  CHECK(read("new") == "./new");
  CHECK(read(".") == "./**");
  CHECK(read("./") == "./**");
  CHECK(read("**") == "./**");
  CHECK(read(".git") == "./.git");
  CHECK(read("/srv/data") == "/srv/data");
}
