#include "client/terminal/command_line.h"
#include "client/commands/commands.h"

#include <doctest/doctest.h>

#include "client/terminal/terminal.h"
#include "client/terminal/verbs.h"
#include "schemas/core/json.h"

using namespace band;
using namespace band::client;

namespace {

std::string refusal(const std::vector<std::string>& words) {
  const auto line = parse_command_line(words);
  return line.ok() ? "accepted" : line.error().message() + " | " + line.error().hint;
}

}  // namespace

TEST_CASE("each verb that the command line accepts has a command") {
  const auto has_command = [](const std::string& verb) { return command_of(verb) != nullptr; };
  for (const VerbInfo& verb : verbs()) CHECK_MESSAGE(has_command(std::string(verb.name)), verb.name);
  CHECK_FALSE(has_command("frobnicate"));
}

TEST_CASE("each flag that a verb lists is accepted") {
  for (const VerbInfo& verb : verbs())
    for (const std::string& flag : flags_of(verb.name)) {
      std::string word = "--";
      word.append(flag).append(find_flag(&verb, flag)->value.empty() ? "" : "=x");
      CHECK(refusal({std::string(verb.name), word}) == "accepted");
    }
  for (const char* flag : {"--help", "--version"}) CHECK(refusal({flag}) == "accepted");
}

TEST_CASE("only teardown can purge") {
  const auto line = parse_command_line({"teardown", "--target", "local", "--purge"});
  REQUIRE(line.ok());
  CHECK(line->purge);
  CHECK(!parse_command_line({"teardown"})->purge);
  CHECK(refusal({"setup", "--purge"}).find("`band setup` has no flag --purge") == 0);
}

TEST_CASE("band's own flags and the words of the script are separated") {
  const auto line = parse_command_line({"run", "a/b", "--name", "World", "--json", "--input={}", "--workspace", "/w",
                                        "--tags=x", "--skills", "/s", "--skills=/t", "--quiet"});
  REQUIRE(line.ok());
  CHECK(line->verb == "run");
  CHECK(line->arguments == std::vector<std::string>{"a/b"});
  CHECK(line->parameters == std::vector<std::string>{"--name", "World", "--tags=x"});
  CHECK(line->json);
  CHECK(line->input == "{}");
  CHECK(line->workspace == "/w");
  CHECK(line->skills == std::vector<std::string>{"/s", "/t"});
  CHECK(line->verbosity == Verbosity::Quiet);
}

TEST_CASE("band's own flags have precedence over parameters of the same name") {
  const auto line = parse_command_line({"run", "a/b", "--target", "x", "--dry-run", "--version"});
  REQUIRE(line.ok());
  CHECK(line->target == "x");
  CHECK(line->dry_run);
  CHECK(line->parameters ==
        std::vector<std::string>{"--version"});  // `band run` has no such flag, so it belongs to the script
}

TEST_CASE("why accepts questions as flags, and a command line after --") {
  const auto line = parse_command_line(
      {"why", "a/b", "--read", "x", "--read=y", "--net", "h:1", "--json", "--", "gh", "--json", "--", "x"});
  REQUIRE(line.ok());
  CHECK(line->arguments == std::vector<std::string>{"a/b"});
  CHECK(line->read == std::vector<std::string>{"x", "y"});
  CHECK(line->net == std::vector<std::string>{"h:1"});
  CHECK(line->command == std::vector<std::string>{"gh", "--json", "--", "x"});
  CHECK(refusal({"why", "a/b", "--"}).find("no command follows `--`") == 0);
  CHECK(refusal({"why", "a/b", "--rea", "x"}).find("`band why` has no flag --rea") == 0);
}

TEST_CASE("invalid command lines are refused with a similar name") {
  struct Row {
    std::vector<std::string> words;
    const char *message, *hint;
  };
  const Row rows[] = {
      {{"lst"}, "there is no command `band lst`", "band list"},
      {{"list", "--jsno"}, "`band list` has no flag --jsno", "--json"},
      {{"list", "--dry-run"}, "`band list` has no flag --dry-run", ""},
      {{"--verion"}, "`band` has no flag --verion", "--version"},
      {{"run", "a/b", "--input"}, "--input needs a value", "JSON|@FILE|-"},
      {{"run", "a/b", "--input", "{}", "--input={}"}, "--input is given twice", ""},
      {{"-x"}, "`band` has no flag -x", ""},
      {{"run", "-jsno"}, "`band run` has no flag -jsno", "--json"},
      {{"status", "extra"}, "`band status` does not accept `extra`", "band status --help"},
      {{"teardown", "local"}, "`band teardown` does not accept `local`", ""},
      {{"run", "--dryrun", "a/b"}, "`band run` has no flag --dryrun", "--dry-run"},
      {{"run", "--workspce=/w", "a/b"}, "`band run` has no flag --workspce", "--workspace"},
      {{"run", "a/b", "--json=yes"}, "--json does not accept a value", "--input"},
  };
  for (const Row& row : rows) {
    const std::string got = refusal(row.words);
    CAPTURE(got);
    CHECK(got.starts_with(row.message));
    CHECK(got.find(row.hint) != std::string::npos);
  }
  CHECK(refusal({}) == "accepted");
  CHECK(refusal({"run", "a/b", "--n", "-5"}) == "accepted");        // a value
  CHECK(refusal({"run", "--name", "World", "a/b"}) == "accepted");  // `band run` reports the missing script
  CHECK(refusal({"--help"}) == "accepted");
  CHECK(refusal({"run", "a/b", "-h"}) == "accepted");
}

TEST_CASE("a numeric flag accepts only a whole number within its bounds") {
  CHECK(*number_of_flag("jobs", "1", 1, 64) == 1);
  CHECK(*number_of_flag("jobs", "064", 1, 64) == 64);
  for (const char* wrong : {"", "0", "65", "-1", "+1", " 1", "1 ", "1.5", "x", "99999999999999999999"}) {
    const auto number = number_of_flag("memory", wrong, 1, 64, "GiB");
    REQUIRE_MESSAGE(!number.ok(), wrong);
    CHECK(number.error().message() == std::string("--memory ") + wrong + " is not a whole number of GiB from 1 to 64");
    CHECK(number.error().hint == "for example: --memory 1");
  }
}

TEST_CASE("characters that control a terminal are escaped") {
  CHECK(printable("a\x1b[31mred\r\n\tb") == "a\\x1b[31mred\\x0d\n\tb");
  CHECK(printable_line("a\nb") == "a\\nb");
  CHECK(printable("\xC2\x9B"
                  "31m") == "\\u{9b}31m");  // C1 CSI
  CHECK(printable("\xE2\x80\xAE"
                  "gpj") == "\\u{202e}gpj");  // right-to-left override
  CHECK(printable("\xff\xC0\xAF") == "\\xff\\xc0\\xaf");
  CHECK(printable("gr\xC3\xBC\xC3\x9F") == "gr\xC3\xBC\xC3\x9F");
}

TEST_CASE("JSON for stdout parses to the same value and contains no characters that control a terminal") {
  const Json value = {{"a", "\x1b]0;x\x07 \xC2\x9B \x7F \xE2\x80\xAE \xC3\xBC"}};
  const std::string text = json_for_output(value, false);
  CHECK(text == "{\"a\":\"\\u001b]0;x\\u0007 \\u009b \\u007f \\u202e \xC3\xBC\"}\n");
  CHECK(parse_json(text.substr(0, text.size() - 1), "x").value() == value);
  CHECK(json_for_output(Json{{"a", 1}}, true) == "{\n  \"a\": 1\n}\n");
}

TEST_CASE("the tail of a log is its last lines, in whole characters") {
  CHECK(tail("a\nb\nc\n", 2, 100) == "b\nc");
  CHECK(tail("a\nb\nc", 20, 100) == "a\nb\nc");
  CHECK(tail("", 20, 100) == "");
  CHECK(tail("xx\xC3\xBC", 5, 1) == "");
  CHECK(tail(std::string(10000, 'x'), 20, 4096).size() == 4096);
}
