// `band learn`: a file that the script writes, whether it exists already or not.
#include <filesystem>

#include "tests/end_to_end/learn_stage.h"

using namespace band::test;

namespace {

// Two runs of the script, the second one with other content.
void runs_twice(const Caller& caller, const std::string& file, const Words& more = {}) {
  for (const char* text : {"first", "second"}) {
    Words run = {"run", "tool/go", "--text", text};
    run.insert(run.end(), more.begin(), more.end());
    CHECK_STATUS(caller.band(run), 0);
    CHECK(read_file(caller.work(file)) == std::string(text) + "\n");
  }
}

// The initial state, and the expected result of learn.
struct State {
  const char *source, *band, *file;
  bool there;
  Words inputs, lines;
};

void check(const State& state) {
  CAPTURE(state.source);
  CAPTURE(state.band);
  CAPTURE(state.there);
  const Caller caller(server());
  caller.script("tool/go", "set -e\n" + std::string(state.source) + kEmptyOutput, state.band);
  caller.schema("tool/go", "input",
                R"({"type": "object", "properties": {"text": {"type": "string"}, "output": {"type": "string"}}})");
  if (state.there) write_file(caller.work(state.file), "old\n");
  Words words = learn({"--runs", "8", "--apply", "--text", "x"});
  words.insert(words.end(), state.inputs.begin(), state.inputs.end());
  REQUIRE_STATUS(caller.band(words), 0);
  const std::string band = band_of(caller);
  CAPTURE(band);
  if (!state.there) CHECK(!exists(caller.work(state.file)));
  const Words rows = rows_of(band);
  CHECK(rows.size() == state.lines.size());
  for (const std::string& line : state.lines) CHECK_HAS(band, "    - " + line + "   # run ");
  if (!rows.empty()) CHECK_HAS(band, "an existing file is replaced only when it was sent to the script");
  runs_twice(caller, state.file, state.inputs);
  // Without the line of `read` the second run fails.
  for (const std::string& row : rows) {
    if (!contains(row, "optional: true")) continue;
    write_file(caller.skills() + "/tool/scripts/go/BAND.md", without(band, row));
    Words run = {"run", "tool/go", "--text", "third"};
    run.insert(run.end(), state.inputs.begin(), state.inputs.end());
    CHECK_STATUS(caller.band(run), 5);
  }
}

constexpr const char* kText = "jq -r .text \"$INPUT_PATH\" > report.txt\n";
constexpr const char* kNamed = "jq -r .text \"$INPUT_PATH\" > \"$(jq -r .output \"$INPUT_PATH\")\"\n";
constexpr const char* kSeveral = "mkdir -p out\njq -r .text \"$INPUT_PATH\" | tee out/a.csv > out/b.csv\n";

}  // namespace

TEST_CASE("for a written file read and write are proposed, and the script runs twice") {
  for (const bool there : {false, true}) {
    check({kText, "", "report.txt", there, {}, {R"("./report.txt")", R"({path: "./report.txt", optional: true})"}});
    check({kNamed,
           "",
           "report.txt",
           there,
           {"--output", "report.txt"},
           {R"("{output}")", R"({path: "{output}", optional: true})"}});
    check({kSeveral, "", "out/b.csv", there, {}, {R"("./out/*.csv")", R"({path: "./out/*.csv", optional: true})"}});
  }
}

TEST_CASE("a band with only the write gets the read, whether a run was stopped by the file or not") {
  for (const bool there : {false, true}) {
    check({kText,
           "allow:\n  write:\n    - ./report.txt\n",
           "report.txt",
           there,
           {},
           {R"({path: "./report.txt", optional: true})"}});
    check({kNamed,
           "allow:\n  write:\n    - \"{output}\"\n",
           "report.txt",
           there,
           {"--output", "report.txt"},
           {R"({path: "{output}", optional: true})"}});
  }
  check({kText,
         "allow:\n  write:\n    - ./*.txt\n",
         "report.txt",
         true,
         {},
         {R"({path: "./report.txt", optional: true})"}});
}

TEST_CASE("a band with both keeps both, and no run is made to prove that the file was read") {
  for (const bool there : {false, true}) {
    check({kText,
           "allow: {write: [./report.txt], read: [{path: ./report.txt, optional: true}]}\n",
           "report.txt",
           there,
           {},
           {}});
    check({kText, "allow: {write: [./*.txt], read: [{path: ./*.txt, optional: true}]}\n", "report.txt", there, {}, {}});
    check({kText, "allow: {write: [./*.txt], read: [./**/*.txt]}\n", "report.txt", there, {}, {}});
    check({kNamed,
           "allow: {write: [\"{output}\"], read: [{path: \"{output}\", optional: true}]}\n",
           "report.txt",
           there,
           {"--output", "report.txt"},
           {}});
  }
  // Also if the file already has the content that the script writes, so that nothing is written back.
  const Caller caller(server());
  caller.script("tool/go", "set -e\necho x > report.txt\n" + std::string(kEmptyOutput),
                "allow: {write: [./report.txt], read: [{path: ./report.txt, optional: true}]}\n");
  write_file(caller.work("report.txt"), "x\n");
  const std::string before = band_of(caller);
  const Ran learnt = caller.band(learn({"--runs", "8", "--apply"}));
  REQUIRE_STATUS(learnt, 0);
  CHECK_HAS(learnt.out, "whether the script writes what `./report.txt` allows");
  CHECK(band_of(caller) == before);
}
