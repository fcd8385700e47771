// `band validate`: names and directories, exit codes, --json.
#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

constexpr const char* kNamesFile = "set -eu\ngh pr list\necho '{}' > \"$OUTPUT_PATH\"\n";

}  // namespace

TEST_CASE("validate accepts names of skills, directories, and several of them") {
  const Caller caller;
  caller.script("tool/go", kEmptyOutput);
  caller.script("other/go", kEmptyOutput);
  for (const Words& words : {Words{"validate", "tool"}, Words{"validate", caller.skills() + "/tool/"},
                             Words{"validate", "../skills/tool"}}) {
    const Ran ran = caller.band(words);
    CHECK_STATUS(ran, 0);
    CHECK(ran.out == "ok: tool/go\n");
    CHECK(ran.err == "");
  }
  CHECK(caller.band({"validate", "tool", "other", "hello"}).out == "ok: tool/go other/go hello/greet\n");
  CHECK(caller.band({"validate", caller.skills()}).out == "ok: other/go tool/go\n");
  write_file(caller.work("tool/notes.md"), "");  // a directory here without a skill
  CHECK(caller.band({"validate", "tool"}).out == "ok: tool/go\n");
  CHECK_HAS(caller.band({"validate", "./tool"}).err, "contains no skill");
  Caller elsewhere;
  elsewhere.env.erase("BAND_SKILLS");
  CHECK_STATUS(elsewhere.band({"validate", "tool"}), 2);
  CHECK(elsewhere.band({"validate", "tool", "--skills", caller.skills()}).out == "ok: tool/go\n");
}

TEST_CASE("an unknown name is an error with similar names, and a missing one with an example") {
  const Caller caller;
  const Ran ran = caller.band({"validate", "helo"});
  CHECK_STATUS(ran, 2);
  CHECK_HAS(ran.err, "there is no skill `helo` in ");
  CHECK_HAS(ran.err, "; write a directory as ./DIR");
  CHECK_HAS(ran.err, "did you mean `hello`?");
  CHECK_HAS(caller.band({"validate"}).err, "for example: band validate hello, or band validate ./skills");
  CHECK_HAS(caller.band({"validate", "./none"}).err, "./none is not a directory");
}

TEST_CASE("notes leave the exit code 0, errors are 2, and --json has both") {
  const Caller caller;
  caller.script("tool/go", kNamesFile);
  const Ran noted = caller.band({"validate", "tool"});
  CHECK_STATUS(noted, 0);
  CHECK(noted.err ==
        "note: tool/scripts/go/run.sh:2:1: the band does not declare the command gh; write allow: {cli: "
        "[\"gh pr list\"]} in tool/scripts/go/BAND.md\n");
  write_file(caller.skills() + "/tool/SKILL.md", "---\nname: tools\ndescription: of a test\n---\n");
  const Ran wrong = caller.band({"validate", "tool", "--json"});
  CHECK_STATUS(wrong, 2);
  CHECK_HAS(wrong.out, R"("valid":false,"skills":["tool"],"scripts":["tool/go"])");
  CHECK_HAS(wrong.out, R"({"file":"tool/SKILL.md","line":2,"column":7,"message":"the name is `tools`, and the)");
  CHECK_HAS(wrong.out, R"("hint":"write name: tool"}])");
  CHECK_HAS(wrong.out, R"("notes":[{"file":"tool/scripts/go/run.sh","line":2,"column":1)");
  CHECK_HAS(wrong.out, R"("shellcheck":)");
  CHECK_HAS(wrong.err, "1 error\n");
}

TEST_CASE("a skill that is a link has the link's name, and no file of a skill is executed") {
  const Caller caller;
  caller.script("tool/go",
                "touch " + caller.work("ran") + "\neval \"$(touch " + caller.work("ran") + ")\"\n" + kEmptyOutput);
  REQUIRE(::system(("ln -s " + caller.skills() + "/tool " + caller.work("tool")).c_str()) == 0);
  CHECK_STATUS(caller.band({"validate", "./tool"}), 0);
  CHECK(!exists(caller.work("ran")));
}
