// `band learn` if a band in `extends`, or the operator's ceiling, closes what the script needs.
#include <filesystem>

#include "tests/end_to_end/learn_stage.h"

using namespace band::test;

namespace {

// A band that extends another one, which opens only `base`.
void write_extending(const Caller& caller, const std::string& source, const std::string& base) {
  caller.script("tool/go", "set -e\n" + source + kEmptyOutput, "extends: ../../base/BAND.md\n");
  caller.schema("tool/go", "input", R"({"type": "object", "properties": {"path": {"type": "string"}}})");
  std::filesystem::create_directories(caller.skills() + "/tool/base");
  write_file(caller.skills() + "/tool/base/BAND.md", "---\nband: base\n" + base + "---\n");
}

}  // namespace

TEST_CASE("a line that a band in extends closes is listed with that file, and no further run is made for it") {
  const Caller caller(server());
  write_file(caller.work("a.txt"), "a\n");
  write_file(caller.work("notes/a.txt"), "a\n");
  struct Case {
    std::string source, base, refused, write;
  };
  for (const Case& each : {Case{"git --version\n", "allow: {read: [./**]}\n", R"(allow.cli "git --version")",
                                R"(allow: {cli: ["git --version"]})"},
                           Case{"git --version\n", "allow: {cli: [git log *]}\n", R"(allow.cli "git --version")",
                                R"(allow: {cli: ["git --version"]})"},
                           Case{"cat \"$(jq -r .path \"$INPUT_PATH\")\"\n", "allow: {read: [./notes/**]}\n",
                                R"(allow.read "{path}")", R"(allow: {read: ["./a.txt"]})"},
                           Case{"exec 3<>/dev/tcp/api.learn.example/80\n", "allow: {net: [other.example]}\n",
                                R"(allow.net "api.learn.example")", R"(allow: {net: ["api.learn.example"]})"}}) {
    CAPTURE(each.base);
    CAPTURE(each.refused);
    write_extending(caller, each.source, each.base);
    const std::string before = band_of(caller);
    Words words = learn({"--runs", "12", "--apply"});
    if (contains(each.source, ".path")) words.insert(words.end(), {"--path", "a.txt"});
    const Ran learnt = caller.band(words);
    CHECK_STATUS(learnt, 3);
    CHECK_MESSAGE(shown_runs(learnt.err).size() == 1, learnt.err);
    CHECK_HAS(learnt.out, "no line of tool/scripts/go/BAND.md alone allows what was refused\n");
    CHECK_HAS(learnt.out, "another band or the operator does not allow these lines (neither tried nor written):\n  " +
                              each.refused + "  (run 1: ");
    CHECK_HAS(learnt.out, "write in tool/base/BAND.md:  " + each.write + "\n");
    CHECK_HAS(
        learnt.out,
        "write the line in the file whose rules do not allow the action yet, then run `band learn tool/go ...` again");
    CHECK(band_of(caller) == before);
    // With that line in that file it works.
    write_file(caller.skills() + "/tool/base/BAND.md", "---\nband: base\n" + each.write + "\n---\n");
    REQUIRE_STATUS(caller.band(words), 0);
    CHECK(band_of(caller) != before);
    CHECK_STATUS(caller.band({"run", "tool/go", "--path", "a.txt"}), 0);
  }
}

TEST_CASE("actions that the band in extends opens are learnt, in addition to the list of closed ones") {
  const Caller caller(server());
  write_file(caller.work("notes/a.txt"), "a\n");
  write_extending(caller, "cat ./notes/a.txt\ngit --version || true\n", "allow: {read: [./notes/*]}\n");
  const Ran learnt = caller.band(learn({"--runs", "6", "--apply"}));
  REQUIRE_STATUS(learnt, 0);
  CHECK_HAS(band_of(caller), "- \"./notes/a.txt\"   # run ");
  CHECK_HAS_NOT(band_of(caller), "git");
  CHECK_HAS(learnt.out, "allow.cli \"git --version\"  (run ");
  const Ran json = caller.band(learn({"--runs", "6", "--json"}));
  CHECK_STATUS(json, 0);
  CHECK_HAS(json.out, R"("closed":[{"domain":"cli","pattern":"git --version",)");
  CHECK_STATUS(caller.band({"run", "tool/go"}), 0);
}

TEST_CASE("a line of this band that the band in extends lacks is listed with that file") {
  const Caller caller(server());
  write_extending(caller, "git --version\n", "allow: {read: [./**]}\n");
  const std::string own = caller.skills() + "/tool/scripts/go/BAND.md";
  std::string band = read_file(own);
  write_file(own, band.insert(band.rfind("---"), "allow: {cli: [git --version]}\n"));
  const Ran learnt = caller.band(learn({"--runs", "12"}));
  CHECK_STATUS(learnt, 3);
  CHECK(shown_runs(learnt.err).size() == 1);
  CHECK_HAS(learnt.out, "write in tool/base/BAND.md:  allow: {cli: [\"git --version\"]}");
}

TEST_CASE("a line that the operator's ceiling closes is listed, and no further run is made for it" * beside_server()) {
  Server closing("ceiling: {allow: {cli: [jq *], read: [./**], write: [./**], net: [ok.example]}}\n");
  const Caller caller(closing);
  for (const auto& [source, by] : {std::pair("git --version\n", "`ceiling.allow.cli` in "),
                                   std::pair("exec 3<>/dev/tcp/evil.example/80\n",
                                             "net `evil.example` (band learn) is denied by this server's ceiling")}) {
    caller.script("tool/go", std::string("set -e\n") + source + kEmptyOutput);
    const Ran learnt = caller.band(learn({"--runs", "12"}));
    CHECK_STATUS(learnt, 3);
    CHECK(shown_runs(learnt.err).size() == 1);
    CHECK_HAS(learnt.out, "another band or the operator does not allow these lines");
    CHECK_HAS(learnt.out, by);
  }
}
