#include <doctest/doctest.h>

#include <chrono>
#include <random>

#include "schemas/core/json.h"
#include "schemas/yaml/yaml.h"
#include "tests/pure/schemas/pattern/pattern_test.h"

using band::CliPattern;
using Args = std::vector<std::string>;

namespace {

CliPattern pattern(std::string_view text) { return band::test::parsed<CliPattern>(text); }

// A simple reference implementation for patterns without quotes; exponentially slow.
bool plain_word(std::string_view p, std::string_view a) {
  if (p.empty()) return a.empty();
  if (p[0] == '*') return plain_word(p.substr(1), a) || (!a.empty() && plain_word(p, a.substr(1)));
  return !a.empty() && p[0] == a[0] && plain_word(p.substr(1), a.substr(1));
}
bool plain(const Args& p, std::size_t i, const Args& a, std::size_t j) {
  if (i == p.size()) return j == a.size();
  if (p[i] == "**" || (p[i] == "*" && i + 1 == p.size()))
    return plain(p, i + 1, a, j) || (j < a.size() && plain(p, i, a, j + 1));
  return j < a.size() && plain_word(p[i], a[j]) && plain(p, i + 1, a, j + 1);
}

}  // namespace

TEST_CASE("a command pattern matches argument by argument") {
  struct Row {
    std::string pattern;
    Args argv;
    bool matches;
  };
  const Row rows[] = {
      {"git", {"git"}, true},
      {"git", {"git", "push"}, false},
      {"git status", {"git", "status"}, true},
      {"git status", {"git", "status", "-s"}, false},
      {"git status", {"hub", "status"}, false},
      {"gh issue create *", {"gh", "issue", "create"}, true},
      {"gh issue create *", {"gh", "issue", "create", "--title", "a b"}, true},
      {"gh issue create *", {"gh", "issue create"}, false},
      {"gh issue create *", {"gh issue create"}, false},
      {"gh * list", {"gh", "issue", "list"}, true},
      {"gh * list", {"gh", "list"}, false},
      {"gh * list", {"gh", "a", "b", "list"}, false},
      {"gh * list", {"gh", "", "list"}, true},
      {"gh ** list", {"gh", "list"}, true},
      {"gh ** list", {"gh", "a", "list", "b", "list"}, true},
      {"gh ** list", {"gh", "list", "b"}, false},
      {"gh ** -x **", {"gh", "a", "-x"}, true},
      {"gh --repo=*", {"gh", "--repo=a/b c"}, true},
      {"gh --repo=*", {"gh", "--repo"}, false},
      {"gh --repo=*", {"gh", "--repo=a", "b"}, false},
      {"gh a*b*c", {"gh", "aXbYc"}, true},
      {"gh a*b*c", {"gh", "abc"}, true},
      {"gh a*bc*c", {"gh", "abc"}, false},
      {"gh aba*aba", {"gh", "aba"}, false},
      {"gh '*'", {"gh", "*"}, true},
      {"gh '*'", {"gh", "x"}, false},
      {"gh \\*", {"gh", "*"}, true},
      {"gh \"a b\"", {"gh", "a b"}, true},
      {"gh \"a b\"", {"gh", "a", "b"}, false},
      {"gh a' 'b", {"gh", "a b"}, true},
      {"gh \"\"", {"gh", ""}, true},
      {"gh \"\"", {"gh"}, false},
      {"gh \"\\$x\\y\"", {"gh", "$x\\y"}, true},
      {"gh '$x|y'", {"gh", "$x|y"}, true},
      {"gh 'HEAD~1' a'?'b \\[x] \"{}\" a]b}", {"gh", "HEAD~1", "a?b", "[x]", "{}", "a]b}"}, true},
      {"gh a'?'b", {"gh", "axb"}, false},
      {"gh a'?'*", {"gh", "a?b"}, true},
      {"  gh\t x  ", {"gh", "x"}, true},
      {"/opt/x/tool *", {"/opt/x/tool", "y"}, true},
      {"/opt/x/tool *", {"tool", "y"}, false},
      {"tool *", {"/opt/x/tool", "y"}, false},
      {"gh", {}, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.pattern);
    CHECK(pattern(row.pattern).matches(row.argv) == row.matches);
  }
  CHECK(pattern("'my-tool' x").command() == "my-tool");
}

TEST_CASE("a bad command pattern is refused with a hint") {
  struct Row {
    std::string text;
    const char* what;
    const char* hint;
  };
  const Row rows[] = {
      {"", "is empty", "git status"},
      {"   ", "names no command", "git status"},
      {"* x", "`*` in its command", "each command"},
      {"g* x", "`*` in its command", "each command"},
      {"'' x", "not begin with a command name", "full path"},
      {"./tool", "not begin with a command name", "full path"},
      {"a/b", "not begin with a command name", "full path"},
      {"/a/../b", "not begin with a command name", "full path"},
      {"/a/", "not begin with a command name", "full path"},
      {".. x", "not begin with a command name", "full path"},
      {"gh 'x", "not closed", "close"},
      {"gh \"x\\\"", "not closed", "close"},
      {"gh x\\", "backslash", "\\\\"},
      {"git log | head", "unquoted `|`", "as in `\"git log '|' head\"`"},
      {"gh $HOME", "unquoted `$`", "quote"},
      {"gh ~/x", "unquoted `~`", "`\"gh '~'/x\"`"},
      {"git reset HEAD~1 *", "unquoted `~`", "`\"git reset HEAD'~'1 *\"`"},
      {"gh api x?page=*", "unquoted `?`", "`\"gh api x'?'page=*\"`"},
      {"gh issue-[0-9]? x", "unquoted `[`", "`\"gh issue-'['0-9]'?' x\"`"},
      {"gh {a,b}", "unquoted `{`", "`\"gh '{'a,b}\"`"},
      {"xargs -I {} echo {}", "unquoted `{`", "`\"xargs -I '{'} echo '{'}\"`"},
      {"[ *", "unquoted `[`", "`\"'[' *\"`"},
      {"gh 'a b'?'c d'", "unquoted `?`", "`\"gh 'a b''?''c d'\"`"},
      {"gh " + std::string(200, 'a') + "?", "unquoted `?`", "`\"...aaa"},
      {"gh ?" + std::string(200, 'a'), "unquoted `?`", "aaa...\"`"},
      {"gh a; rm", "unquoted `;`", "quote"},
      {"gh x\nrm", "line break", "quote"},
      {"gh a**b", "next to other characters", "one `*`"},
      {"gh ***", "next to other characters", "one `*`"},
      {std::string("gh a\0b", 6), "NUL", "remove"},
      {"gh " + std::string(4096, 'a'), "4096", "shorten"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    auto parsed = CliPattern::parse(row.text);
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.error().code == band::Code::SkillInvalid);
    CHECK_MESSAGE(parsed.error().message().find(row.what) != std::string::npos, parsed.error().message());
    CHECK_MESSAGE(parsed.error().hint.find(row.hint) != std::string::npos, parsed.error().hint);
  }
}

TEST_CASE("the suggestion in an error about a cli pattern can be copied into a BAND.md, and matches that line") {
  struct Row {
    const char* text;
    Args argv;
  };
  const Row rows[] = {
      {"gh HEAD~1", {"gh", "HEAD~1"}},
      {"gh x?page=2 *", {"gh", "x?page=2", "y", "z"}},
      {"gh [0-9] stash@{0}", {"gh", "[0-9]", "stash@{0}"}},
      {"gh {a,b}~?[ ~", {"gh", "{a,b}~?[", "~"}},
      {"gh a~ 'b~' \"c~\\\"~\" d\\~e~", {"gh", "a~", "b~", "c~\"~", "d~e~"}},
      {"gh \"a b\"~ 'c\\' ~", {"gh", "a b~", "c\\", "~"}},
      {"gh log | head", {"gh", "log", "|", "head"}},
      {"gh a\nb\r~", {"gh", "a\nb\r~"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto refused = CliPattern::parse(row.text);
    REQUIRE_FALSE(refused.ok());
    const std::string& hint = refused.error().hint;
    const std::size_t begin = hint.find('`') + 1;
    const std::string shown = hint.substr(begin, hint.rfind('`') - begin);
    CAPTURE(shown);
    std::vector<band::Diagnostic> errors;
    const auto yaml = band::parse_yaml("allow:\n  cli: [" + shown + ", git]\n", "BAND.md", 1, errors);
    REQUIRE(yaml);
    REQUIRE(errors.empty());
    CHECK(pattern((*yaml->value)["allow"]["cli"][0].get<std::string>()).matches(row.argv));
  }
}

TEST_CASE("a deny also closes a line with any further arguments") {
  struct Row {
    std::string pattern;
    Args argv;
    bool allows, denies;
  };
  const Row rows[] = {
      {"git push", {"git", "push"}, true, true},
      {"git push", {"git", "push", "--force"}, false, true},
      {"git push", {"git", "push", "a", "b", ""}, false, true},
      {"git push", {"git", "pushed"}, false, false},
      {"git push", {"git"}, false, false},
      {"git push", {"git", "-C", ".", "push"}, false, false},
      {"git", {"git", "push"}, false, true},
      {"npm publish*", {"npm", "publish"}, true, true},
      {"npm publish*", {"npm", "publish", "--tag", "x"}, false, true},
      {"npm publish*", {"npm", "publish:all", "."}, false, true},
      {"npm publish*", {"npm", "run", "publish"}, false, false},
      {"gh auth *", {"gh", "auth", "login"}, true, true},
      {"gh * list", {"gh", "pr", "list", "--web"}, false, true},
      {"gh ** -f", {"gh", "a", "-f", "b"}, false, true},
      {"gh ** -f", {"gh", "a", "-g"}, false, false},
      {"gh ''", {"gh", "", "x"}, false, true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.pattern);
    CHECK(pattern(row.pattern).matches(row.argv) == row.allows);
    CHECK(pattern(row.pattern).as_deny().matches(row.argv) == row.denies);
  }
  CHECK(pattern("git push").as_deny().text() == "git push");
  CHECK(pattern("git push").as_deny().covers(pattern("git push --force *")));
  CHECK_FALSE(pattern("git push").as_deny().covers(pattern("git *")));
  CHECK(pattern("git").as_deny().takes_any_arguments());
  for (const char* text : {"git *", "git ** x", "git * x", "git ''* x"})
    CHECK(pattern(text).takes_any_first_argument());
  for (const char* text : {"git", "git log *", "git a*", "git '*' x"})
    CHECK_FALSE(pattern(text).takes_any_first_argument());
}

TEST_CASE("covers for listed pairs") {
  band::test::check_covers<CliPattern>({
      {"gh *", "gh issue create *", true},
      {"gh issue *", "gh *", false},
      {"gh * x", "gh a x", true},
      {"gh * x", "gh * x", true},
      {"gh a* x", "gh * x", false},
      {"gh **", "gh *", true},
      {"gh *", "gh **", true},
      {"gh a*", "gh ab*", true},
      {"gh a*", "gh 'a*'", true},
      {"gh 'a*'", "gh a*", false},
      {"gh *x*", "gh a*x", true},
      {"gh a", "gh", false},
      {"hub *", "gh a", false},
      {"gh ** x", "gh a * x", true},
      {"gh *a*b*", "gh ab", true},
  });
}

TEST_CASE("property: matching agrees with the reference implementation, and covers is sound") {
  std::mt19937 engine(11);
  const auto below = [&](std::size_t n) { return engine() % n; };
  const auto word = [&](std::string_view letters) {
    std::string text;
    for (std::size_t n = 1 + below(3); n > 0; --n) {
      const char c = letters[below(letters.size())];
      if (c != '*' || text.empty() || text.back() != '*') text += c;
    }
    return text;
  };
  std::vector<Args> lines, words;
  std::vector<CliPattern> patterns;
  for (int i = 0; i < 300; ++i) {
    Args line{"c"};
    for (std::size_t n = below(5); n > 0; --n) line.push_back(word("ab"));
    lines.push_back(line);
  }
  for (int i = 0; i < 200; ++i) {
    Args parts{"c"};
    for (std::size_t n = below(5); n > 0; --n) parts.push_back(below(4) == 0 ? "**" : word("ab**"));
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : " ") + part;
    words.push_back(parts);
    patterns.push_back(pattern(text));
  }
  int matched = 0, covered = 0, extended = 0;
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    const CliPattern deny = patterns[p].as_deny();
    for (const Args& line : lines) {
      const bool expected = plain(words[p], 0, line, 0);
      matched += expected;
      if (patterns[p].matches(line) != expected) FAIL_CHECK(patterns[p].text(), " should be ", expected);
      // A deny closes a line exactly when the pattern matches the line or a prefix of it.
      bool closed = false;
      for (std::size_t n = 1; n <= line.size() && !closed; ++n)
        closed = plain(words[p], 0, Args(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(n)), 0);
      extended += closed && !expected;
      if (deny.matches(line) != closed) FAIL_CHECK(deny.text(), " as a deny should be ", closed);
      Args longer = line;
      longer.push_back(word("ab"));
      if (closed && !deny.matches(longer)) FAIL_CHECK(deny.text(), " as a deny lets more arguments pass");
    }
    if (!deny.covers(patterns[p])) FAIL_CHECK(deny.text(), " as a deny does not cover itself");
  }
  for (const CliPattern& outer : patterns)
    for (const CliPattern& inner : patterns) {
      if (!outer.covers(inner)) continue;
      ++covered;
      for (const Args& line : lines)
        if (inner.matches(line) && !outer.matches(line)) FAIL_CHECK(outer.text(), " does not cover ", inner.text());
    }
  CHECK(matched > 1000);
  CHECK(extended > 1000);
  CHECK(covered > 300);
}

TEST_CASE("hostile command lines are matched in bounded time") {
  std::string text = "c";
  for (int i = 0; i < 100; ++i) text += " ** a*a";
  Args argv{"c"};
  for (int i = 0; i < 5000; ++i) argv.push_back("aaaa");
  CHECK(pattern(text).matches(argv));
  argv.push_back("b");
  CHECK_FALSE(pattern(text).matches(argv));
}

TEST_CASE("matching two megabytes against a thousand stars takes time linear in both") {
  // string_view::find needs the product of both: 70 ms each time, instead of 5.
  const auto searching = pattern("c *" + std::string(2000, 'a') + "b*");
  const std::vector<std::string> line{"c", std::string(2 << 20, 'a')};
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 30; ++i) CHECK_FALSE(searching.matches(line));
  std::string stars = "c *";
  for (int i = 0; i < 1000; ++i) stars += "a*";
  CHECK(pattern(stars).matches(line));
  CHECK_FALSE(pattern(stars + "b").matches(line));
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::milliseconds(1500));
  CHECK(pattern("c *aab*").matches({"c", "aaaaaab"}));
  CHECK(pattern("c *abab*").matches({"c", "xabaababx"}));
  CHECK_FALSE(pattern("c *abab*").matches({"c", "xabaabxab"}));
}

TEST_CASE("an upper bound for the cost of a comparison is computed in advance") {
  CHECK(pattern("c a *").most_steps(1'000'000, 2'000'000) == 2);
  CHECK(pattern("c a* *").most_steps(1'000'000, 2'000'000) == 2);
  CHECK(pattern("c *a* *").most_steps(1'000'000, 2'000'000) == 2'000'002);
  CHECK(pattern("c ** -x **").most_steps(1'000'000, 2'000'000) == 3'000'000);
  CHECK(pattern("c ** *x* **").most_steps(1'000'000, 2'000'000) == 5'000'000);
  CHECK(pattern("c").most_steps(1'000'000, 2'000'000) == 0);
  // The further arguments of a deny are not compared.
  CHECK(pattern("c a").as_deny().most_steps(1'000'000, 2'000'000) == 2);
  CHECK(pattern("c *a*").as_deny().most_steps(1'000'000, 2'000'000) == 2'000'002);
  CHECK(pattern("c ** -x").as_deny().most_steps(1'000'000, 2'000'000) == 3'000'000);
}

TEST_CASE("leading_matches counts the leading arguments that match") {
  const auto leading = [](const char* text, const Args& arguments) { return pattern(text).leading_matches(arguments); };
  CHECK(leading("gh issue create *", {"issue", "list"}) == 1);
  CHECK(leading("gh issue create *", {"issue", "create", "x"}) == 2);
  CHECK(leading("gh ** create", {"create"}) == 0);
  CHECK(leading("gh", {"x"}) == 0);
  CHECK(pattern("/opt/x/tool a").base_name() == "tool");
  CHECK(pattern("tool a").base_name() == "tool");
}
