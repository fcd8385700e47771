#include "client/learn/command_pattern.h"

#include <doctest/doctest.h>

#include <random>

#include "client/answers/remedy.h"
#include "schemas/core/json_text.h"
#include "schemas/pattern/pattern.h"

using namespace band;
using namespace band::client;
using namespace band::client::learn;

namespace {

using Argv = std::vector<std::string>;

std::vector<InputValue> texts(const std::vector<std::string>& values) {
  std::vector<InputValue> list;
  list.reserve(values.size());
  for (const std::string& value : values) list.push_back({"p", value, true});
  return list;
}

std::string pattern_of(const Argv& argv, const std::vector<std::string>& values, const std::string& script = "") {
  return generalise(argv, texts(values), read_shell(script)).pattern.text();
}

CommandPattern made(const Argv& argv, const std::vector<std::string>& values = {}, const std::string& script = "") {
  return generalise(argv, texts(values), read_shell(script)).pattern;
}

std::string merged_text(const CommandPattern& a, const CommandPattern& b) {
  const auto both = merged(a, b);
  return both ? both->text() : "";
}

}  // namespace

TEST_CASE("a default of the schema comes from the author and stays literal") {
  std::vector<InputValue> values = texts({"repo", "view", "me/x"});
  for (InputValue& value : values) value.given = false;
  CHECK(generalise({"gh", "repo", "view", "me/x"}, values, read_shell("")).pattern.text() == "gh repo view me/x");
  values[2].given = true;  // the control
  CHECK(generalise({"gh", "repo", "view", "me/x"}, values, read_shell("")).pattern.text() == "gh repo view ''*");
}

TEST_CASE("fixed words stay literal, and a value of the input becomes one argument of any kind") {
  CHECK(pattern_of({"git", "log", "--oneline"}, {}) == "git log --oneline");
  CHECK(pattern_of({"gh", "issue", "create", "--title", "A bug", "--body", "It fails"}, {"A bug", "It fails"}) ==
        "gh issue create --title * --body ''*");
  CHECK(pattern_of({"gh", "issue", "create", "--title=A bug"}, {"A bug"}) == "gh issue create --title=*");
  CHECK(pattern_of({"gh", "api", "repos/cli/go-gh/issues"}, {"cli", "go-gh"}) == "gh api repos/*/*/issues");
}

TEST_CASE("one call never opens a whole program") {
  CHECK(pattern_of({"gh", "issue", "list"}, {"issue"}) == "gh issue list");
  CHECK(pattern_of({"gh", "issue"}, {"issue"}) == "gh issue");
  CHECK(pattern_of({"git"}, {"git"}) == "git");
  // A short value is part of most words.
  CHECK(pattern_of({"tool", "--all", "a.txt"}, {"a"}) == "tool --all a.txt");
}

TEST_CASE("a number after its option, and a short value in an expansion of run.sh, become a star") {
  CHECK(pattern_of({"git", "log", "--max-count=3"}, {"3"}) == "git log --max-count=*");
  const std::string script = "git log \"--max-count=$count\" -n\"$n\" '--format=%h %s'\n";
  CHECK(pattern_of({"git", "log", "--max-count=3", "-n7", "--format=%h %s"}, {"3", "7"}, script) ==
        "git log --max-count=* -n* '--format=%h %s'");
}

TEST_CASE("literal words of run.sh stay, for any input") {
  const std::string script = "gh \"$kind\" list --label bug \"$title\"\n";
  CHECK(pattern_of({"gh", "issue", "list", "--label", "bug", "list"}, {"issue", "list", "bug"}, script) ==
        "gh * list --label bug ''*");
}

TEST_CASE("words from other expansions of run.sh stay, and are listed as doubtful") {
  const std::string script = "sha=$(git rev-parse HEAD)\ngit show \"$sha\" \"$BAND_LIB/x\"\n";
  const Generalised found = generalise({"git", "show", "abc123", "/band/skill/lib/x"}, {}, read_shell(script));
  CHECK(found.pattern.text() == "git show abc123 /band/skill/lib/x");
  REQUIRE(found.doubtful.size() == 1);
  CHECK(found.doubtful[0] == "abc123");
}

TEST_CASE("text that the ledger does not show becomes a star: control characters, secrets, invalid UTF-8") {
  CHECK(pattern_of({"tool", escaped("a\nb")}, {}) == "tool a*b");
  CHECK(pattern_of({"tool", "--auth=[masked]"}, {}) == "tool --auth=*");
  CHECK(pattern_of({"tool", escaped("a\xff"
                                    "b")},
                   {}) == "tool a*b");
  CHECK(pattern_of({"tool", escaped("two\nlines")}, {"two\nlines"}) == "tool ''*");
  // run.sh has exactly this text.
  CHECK(pattern_of({"python3", "-c", escaped("import x\nx.run()")}, {}, "python3 -c 'import x\nx.run()'\n") ==
        "python3 -c 'import x\nx.run()'");
}

TEST_CASE("two lines that differ in a single word are one pattern") {
  CHECK(merged_text(made({"git", "show", "abc123"}), made({"git", "show", "def456"})) == "git show ''*");
  CHECK(merged_text(made({"tool", "/tmp/a.csv", "-x"}), made({"tool", "/tmp/b.csv", "-x"})) == "tool /tmp/*.csv -x");
  CHECK(merged_text(made({"tool", "--out=a1"}), made({"tool", "--out=b2"})) == "tool --out=*");
  CHECK(merged_text(made({"tool", "x1"}), made({"tool", "x1"})) == "tool x1");
}

TEST_CASE("subcommands, options, and literal words of run.sh are never merged") {
  CHECK(merged_text(made({"gh", "issue", "list"}), made({"gh", "issue", "delete"})).empty());
  CHECK(merged_text(made({"gh", "issue", "1"}), made({"gh", "pr", "1"})).empty());
  CHECK(merged_text(made({"git", "--version"}), made({"git", "--help"})).empty());
  CHECK(merged_text(made({"git", "log"}), made({"gh", "log"})).empty());
  const std::string script = "tool A1\ntool B2\n";
  CHECK(merged_text(made({"tool", "A1"}, {}, script), made({"tool", "B2"}, {}, script)).empty());
  CHECK(merged_text(made({"tool", "A1", "B1"}), made({"tool", "A2", "B2"})).empty());
}

TEST_CASE("several final words of any kind become an open end") {
  const CommandPattern one = made({"git", "add", "--", "Aa1"}, {"Aa1", "Bb2"});
  const CommandPattern two = made({"git", "add", "--", "Aa1", "Bb2"}, {"Aa1", "Bb2"});
  CHECK(merged_text(one, two) == "git add -- *");
  CHECK(merged_text(two, one) == "git add -- *");
}

TEST_CASE(
    "property: a pattern has the intended text, matches every line that it was made from, and no other number of "
    "words") {
  std::mt19937 random(20261125);
  const auto pick = [&](std::size_t most) { return static_cast<std::size_t>(random() % most); };
  const std::vector<std::string> pool = {
      "log", "A bug", "it's", "$HOME", "*",   "**",  "",      "a\\b", "\"q\"", "HEAD~1", "a=b", "--x", "{}", "?", "[a]",
      "\n",  "日本",  "#",    "-",     "a;b", "a|b", "x=y*z", "\t",   "a b c", "'",      "`",   "(x)", "&&", "!", "~"};
  for (int round = 0; round < 20'000; ++round) {
    Argv raw{"tool"};
    std::vector<std::string> values;
    for (std::size_t n = pick(6); n > 0; --n) {
      std::string word;
      for (std::size_t parts = 1 + pick(3); parts > 0; --parts) word += pool[pick(pool.size())];
      raw.push_back(word);
      if (pick(3) == 0) values.push_back(word);
    }
    Argv escaped_words;
    for (const std::string& word : raw) escaped_words.push_back(escaped(word));
    const CommandPattern pattern = generalise(escaped_words, texts(values), {}).pattern;
    CAPTURE(pattern.text());
    const auto parsed = CliPattern::parse(pattern.text());
    REQUIRE_MESSAGE(parsed.ok(), (parsed.ok() ? "" : parsed.error().doing));
    CHECK(parsed->matches(raw));
    Argv longer = raw, shorter = raw;
    longer.emplace_back("more");
    CHECK(!parsed->matches(longer));
    if (shorter.size() > 1) {
      shorter.pop_back();
      CHECK(!parsed->matches(shorter));
    }
    // The merged pattern matches both lines.
    Argv other = raw;
    if (other.size() > 1) other[1 + pick(other.size() - 1)] = "Other" + std::to_string(round);
    Argv other_told;
    for (const std::string& word : other) other_told.push_back(escaped(word));
    if (const auto both = merged(pattern, generalise(other_told, texts(values), {}).pattern)) {
      const auto merged_pattern = CliPattern::parse(both->text());
      REQUIRE(merged_pattern.ok());
      CHECK(merged_pattern->matches(raw));
      CHECK(merged_pattern->matches(other));
      CHECK(!merged_pattern->matches(longer));
    }
  }
}

TEST_CASE("a call without a value of the input gives the line of band why; for a value learn opens one word") {
  for (const Argv& argv : {Argv{"git", "log", "--", "a.md"}, Argv{"gh", "it's", "", "#1", "a b", "x*y", "{}", "~"},
                           Argv{"jq", "-n", "\u00fc \"$x\" | .a[0]"}, Argv{"a"}}) {
    CAPTURE(argv.front());
    CHECK(cli_pattern(argv) == pattern_of(argv, {}));
  }
  // One call does not show how many words another one has: the wider line of band why opens any number.
  const std::string one = pattern_of({"git", "log", "--", "a.md"}, {"a.md"}), any = "git log -- *";
  CHECK(one == "git log -- ''*");
  CHECK(CliPattern::parse(any)->covers(*CliPattern::parse(one)));
  CHECK(!CliPattern::parse(one)->matches({"git", "log", "--", "a.md", "b.md"}));
}
