// The names of bash's builtins and keywords, and command lines in messages.
#include <doctest/doctest.h>
#include <stdio.h>

#include <iterator>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "schemas/core/utf8.h"
#include "schemas/pattern/pattern.h"
#include "schemas/pattern/shell_names.h"
#include "schemas/pattern/shell_text.h"
#include "schemas/rules/checks.h"

using namespace band;

namespace {

using Args = std::vector<std::string>;

// Returns the output of a program.
std::string output_of(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  char buffer[4096];
  for (std::size_t got; (got = ::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, got);
  CHECK(::pclose(pipe) == 0);
  return text;
}

}  // namespace

TEST_CASE("the lists of builtins and keywords are those of this machine's bash") {
  std::set<std::string> known(std::begin(kShellOwnNames), std::end(kShellOwnNames));
  known.insert(std::begin(kShellAlsoNames), std::end(kShellAlsoNames));
  known.insert("time");  // also a program
  std::istringstream names(output_of("bash -c 'compgen -b; compgen -k'"));
  const std::set<std::string> real{std::istream_iterator<std::string>(names), {}};
  CHECK(known == real);
}

TEST_CASE("a cli rule that can never work is refused with the reason") {
  struct Row {
    const char* section;
    const char* pattern;
    const char* what;  // "" when it is allowed
  };
  const Row rows[] = {
      {"allow", "cd *", "a builtin or keyword of bash"},
      {"deny", "export *", "a builtin or keyword of bash"},
      {"insist", "eval *", "a builtin or keyword of bash"},
      {"allow", "'[['", "a builtin or keyword of bash"},
      {"allow", "/opt/x/read *", "a builtin or keyword of bash"},
      {"deny", "bash *", "runs the script itself"},
      {"insist", "sh -c *", "runs the script itself"},
      {"deny", "/bin/sh *", "runs the script itself"},
      {"allow", "bash *", ""},
      {"deny", "echo *", ""},
      {"insist", "'[' *", ""},
      {"deny", "time *", ""},
      {"allow", "git *", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.pattern);
    const Status status = check_command(row.section, CliPattern::parse(row.pattern).value());
    CHECK(status.ok() == std::string(row.what).empty());
    if (!status.ok()) CHECK(status.error().message().find(row.what) != std::string::npos);
    if (!status.ok()) CHECK(status.error().code == Code::SkillInvalid);
  }
}

TEST_CASE("a command line is shown in a form that a shell can read") {
  struct Row {
    Args argv;
    std::string text;
  };
  const Row rows[] = {
      {{"jq", "-r", ".a"}, "jq -r .a"},
      {{"gh", "a b", ""}, "gh 'a b' ''"},
      {{"gh", "it's"}, "gh 'it'\\''s'"},
      {{"gh", "~", "#x", "*"}, "gh '~' '#x' '*'"},
      {{"gh", "a\nb\tc'd\\e"}, "gh $'a\\nb\\tc\\'d\\\\e'"},
      {{"gh", "\x1b[31m"}, "gh $'\\u001b[31m'"},
      {{"gh", "\xff\xc3"}, "gh $'\\xff\\xc3'"},
      {{"gh", "\u00e4 \u2026"}, "gh '\u00e4 \u2026'"},
      {{"gh", "a\u202eb"}, "gh $'a\\u202eb'"},
      {{"gh", "\u009b"}, "gh $'\\u009b'"},
      {{}, ""},
  };
  for (const Row& row : rows) CHECK(shell_text(row.argv) == row.text);
}

TEST_CASE("a long command line is cut at a character, and the cut is marked") {
  const auto shown = [](const Args& argv) { return shell_text(argv, 20); };
  CHECK(shown({"abcdefghij", "klmnopqrst", "u"}) == "abcdefghij klmnopqrs... ...");
  CHECK(shown({"abcdefghij", "klmnopqrst"}) == "abcdefghij klmnopqrs...");
  CHECK(shown({"abcdefghijklmnopqrst"}) == "abcdefghijklmnopqrst");
  CHECK(shown({"abcdefghijklmnopqrst", "u"}) == "abcdefghijklmnopqrst ...");
  CHECK(shown({"abcdefghijklmnopqr\u00e4\u00e4"}) == "'abcdefghijklmnopqr\u00e4'...");
  CHECK(shown({"abcdefghijklmnopqrs\u00e4"}) == "abcdefghijklmnopqrs...");
  CHECK(shown({"abcdefghijklmnopqrs\n"}) == "abcdefghijklmnopqrs...");
  CHECK(shell_text(Args(2'000'000, "")).size() < 400);
  CHECK(shell_text(Args{"x", std::string(2 << 20, '\x01')}).size() < 400);
}

TEST_CASE("a quoted word is a pattern that matches the word, and has no quotes if it needs none") {
  for (const char* plain : {"git", "./a-b_c/d.txt", "--x=1,2", "%+:@"}) CHECK(quoted_word(plain) == plain);
  CHECK(quoted_word("") == "''");
  CHECK(quoted_word("it's") == "'it'\\''s'");
  for (const std::string word : {"", "a b", "*", "'", "$x", "#1", "a\\b", "{path}", "~"}) {
    const auto pattern = CliPattern::parse("git " + quoted_word(word));
    REQUIRE(pattern.ok());
    CHECK(pattern->matches(Args{"git", word}));
    CHECK(!pattern->matches(Args{"git", word + "x"}));
  }
}

TEST_CASE("property: bash reads the same arguments from the shown text, which has no control characters") {
  std::mt19937 engine(5);
  std::string script, expected;
  for (int i = 0; i < 300; ++i) {
    Args argv{"printf", "%s\\0"};
    for (std::size_t n = 1 + engine() % 3; n > 0; --n) {
      std::string argument;
      for (std::size_t m = engine() % 6; m > 0; --m) {
        const std::string_view odd("a '\"\\$`*!~\n\t\x01\x7f\xc3\xa4\xff-");
        argument += engine() % 2 == 0 ? odd[engine() % odd.size()] : static_cast<char>(1 + engine() % 255);
      }
      expected += argument + '\0';
      argv.push_back(argument);
    }
    const std::string text = shell_text(argv, 1000);
    CHECK(is_valid_utf8(text));
    for (const char c : text) CHECK(static_cast<unsigned char>(c) >= 0x20);
    script += text + "\n";
  }
  FILE* file = ::tmpfile();
  REQUIRE(file != nullptr);
  REQUIRE(::fwrite(script.data(), 1, script.size(), file) == script.size());
  ::fflush(file);
  CHECK(output_of("LC_ALL=C.UTF-8 bash /proc/self/fd/" + std::to_string(::fileno(file))) == expected);
  ::fclose(file);
}
