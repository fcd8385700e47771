// Secrets reach only the script.
#include <doctest/doctest.h>

#include "tests/promises/sandbox.h"

using namespace band::test;

namespace {

const std::string kSecret = "correct-horse-battery";
const std::string kDigits = "48151623421";

With secrets() {
  With with;
  with.secrets = {{"TOKEN", kSecret}, {"NUMBER", kDigits}, {"SHORT", "abc"}};
  return with;
}

Ran with_secrets(const std::string& script, bool output = true) {
  With with = secrets();
  with.write = {"./**"};
  with.output = output;
  return run(script, with);
}

bool tells(const Ran& ran, const std::string& secret) {
  std::string all = ran.message + ran.hint + ran.out + ran.err + ran.data + ran.ledger + ran.streamed;
  for (const File& file : ran.files) all += file.path + file.content;
  for (const auto* paths : {&ran.not_written, &ran.removed, &ran.renamed, &ran.mode_changed})
    for (const std::string& path : *paths) all += path;
  return all.find(secret) != std::string::npos;
}

}  // namespace

TEST_CASE("a script has its secrets as environment variables") {
  const Ran ran = with_secrets("echo ${#TOKEN} ${#NUMBER} $SHORT");
  CHECK(ran.out == "21 11 abc");
}

TEST_CASE("a script has all of its variables, if they are together larger than a pipe") {
  With with;
  std::string lengths;
  for (int i = 0; i < 7; ++i) {
    with.secrets["LARGE_" + std::to_string(i)] = std::string(static_cast<std::size_t>(120'000 + i), 'x');
    lengths += std::to_string(120'000 + i) + (i < 6 ? " " : "");
  }
  CHECK(inside("echo ${#LARGE_0} ${#LARGE_1} ${#LARGE_2} ${#LARGE_3} ${#LARGE_4} ${#LARGE_5} ${#LARGE_6}", with) ==
        lengths);
}

TEST_CASE("a secret is masked in stdout and stderr, and in their streamed events") {
  const Ran ran = with_secrets("echo \"<$TOKEN>\"; echo \"<$TOKEN>\" >&2");
  CHECK(ran.out == "<[masked]>");
  CHECK(ran.err == "<[masked]>");
  CHECK(ran.streamed.find("[masked]") != std::string::npos);
  CHECK_FALSE(tells(ran, kSecret));
}

TEST_CASE("a secret that is written in two pieces is masked") {
  auto running = start("printf '%s' \"${TOKEN:0:9}\"; " + kHold + "printf '%s\\n' \"${TOKEN:9}\"", secrets());
  CHECK(held());
  CHECK(output_received());  // the first piece without the second
  let_go();
  const Ran ran = running.get();
  CHECK(ran.out == "[masked]");
  CHECK_FALSE(tells(ran, kSecret.substr(0, 9)));
}

TEST_CASE("a secret is masked in the values, member names and numbers of the output") {
  const Ran ran = with_secrets(
      "echo '{\"'$TOKEN'\":1,\"v\":[\"a '$TOKEN'\"],\"n\":'$NUMBER',\"s\":\"'$SHORT'\"}' >\"$OUTPUT_PATH\"", false);
  CHECK(ran.code == "OK");
  CHECK_FALSE(tells(ran, kSecret));
  CHECK_FALSE(tells(ran, kDigits));
  CHECK(ran.data.find("{\"[masked]") == 0);
  CHECK(ran.data.find("\"v\":[\"a [masked]\"],\"n\":\"[masked]\",\"s\":\"abc\"}") != std::string::npos);
}

TEST_CASE("a secret is masked in error messages and hints") {
  const Ran ran = with_secrets("echo '{\"message\":\"bad '$TOKEN'\",\"hint\":\"'$TOKEN'\"}' >\"$ERROR_PATH\"; exit 1");
  CHECK(ran.message == "bad [masked]");
  CHECK(ran.hint == "[masked]");
}

TEST_CASE("a secret is masked in the names of returned files, and not in their content") {
  Ran ran = with_secrets("echo \"a $TOKEN\" >kept.txt; echo x >\"$TOKEN\"");
  REQUIRE(ran.files.size() == 1);
  CHECK(ran.files[0].content == "a " + kSecret + "\n");
  CHECK(ran.not_written == std::vector<std::string>{"[masked]"});
  ran.files.clear();
  CHECK_FALSE(tells(ran, kSecret));
}

TEST_CASE("a secret is masked in the names of files that are not returned") {
  With with;
  with.secrets = {{"TOKEN", kSecret}};
  with.files = {{"a", "x"}, {"b", "x"}};
  with.write = {"./**"};
  const Ran ran = run("mv a \"a-$TOKEN\"; echo >\"b-$TOKEN\"; chmod 755 \"b-$TOKEN\"", with);
  CHECK(ran.renamed == std::vector<std::string>{"a to a-[masked]"});
  CHECK(ran.mode_changed == std::vector<std::string>{"b-[masked]"});
  CHECK(ran.ledger.find("renamed a to a-[masked]") != std::string::npos);
  CHECK_FALSE(tells(ran, kSecret));
}

TEST_CASE("no command line of a process on the machine contains a secret") {
  With with;
  with.secrets = {{"TOKEN", kSecret}};
  auto running = start(kHold, with);
  CHECK(held());
  CHECK(outside("grep -al correct-hors[e] /proc/[0-9]*/cmdline 2>/dev/null | wc -l") == "0");
  // The control: it is in the script's environment, where root can see it.
  CHECK(outside("grep -al correct-hors[e] /proc/[0-9]*/environ 2>/dev/null | wc -l") != "0");
  let_go();
  running.get();
}

TEST_CASE("no file of the server contains a secret") {
  With with;
  with.secrets = {{"TOKEN", kSecret}};
  auto running = start(kHold, with);
  CHECK(held());
  CHECK(outside("grep -rl --exclude-dir=floor correct-horse " + scratch() + " | wc -l") == "0");
  let_go();
  running.get();
}
