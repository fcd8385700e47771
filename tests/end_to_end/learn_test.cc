// `band learn`: from an empty band to the smallest one with which the script works, without a rule that was not shown
// before.
#include <algorithm>
#include <filesystem>

#include "tests/end_to_end/learn_stage.h"
#include "tests/end_to_end/pty.h"

using namespace band::test;

namespace {

constexpr const char* kEverything = R"sh(set -euo pipefail
path="" name=""
eval "$(jq -r '@sh "path=\(.path) name=\(.name)"' "$INPUT_PATH")"
lines=$(wc -l < "./${path#./}")
title=$(head -n 1 config.txt)
branch=$(git check-ref-format --branch "$name")
mkdir -p out
echo "$title" > "out/$branch.csv"
echo "$lines" > out/log.csv
jq -n --arg branch "$branch" '{branch: $branch}' > "$OUTPUT_PATH"
)sh";
constexpr const char* kEverythingInput =
    R"({"type": "object", "required": ["path", "name"], "additionalProperties": false,
        "properties": {"path": {"type": "string"}, "name": {"type": "string"}}})";

void write_everything(const Caller& caller) {
  caller.script("tool/go", kEverything);
  caller.schema("tool/go", "input", kEverythingInput);
  write_file(caller.work("notes/a.md"), "one\ntwo\n");
  write_file(caller.work("config.txt"), "Title\n");
  write_file(caller.work("unrelated.md"), "x\n");
}

}  // namespace

TEST_CASE("from an empty band: after learn the script works, and without any one of its lines it does not") {
  const Caller caller(server());
  write_everything(caller);
  const Words input = {"--path", "./notes/a.md", "--name", "main"};
  Words words = learn({"--runs", "8", "--apply"});
  words.insert(words.end(), input.begin(), input.end());
  const Ran learnt = caller.band(words);
  REQUIRE_STATUS(learnt, 0);
  CHECK(!exists(caller.work("out")));
  const std::string band = band_of(caller);
  CAPTURE(band);
  CHECK_HAS(band, "- \"git check-ref-format --branch ''*\"   # run ");
  CHECK_HAS(band, "- \"{path}\"   # run ");
  CHECK_HAS(band, "- \"./config.txt\"   # run ");
  CHECK_HAS(band, "- \"./out/*.csv\"   # run ");
  const Words rows = rows_of(band);
  CHECK_HAS(band, "- {path: \"./out/*.csv\", optional: true}   # run ");
  CHECK(rows.size() == 5);
  for (const std::string& row : rows) CHECK_HAS(learnt.out, "\n+" + row + "\n");
  Words run = {"run", "tool/go"};
  run.insert(run.end(), input.begin(), input.end());
  const auto works = [&] {
    std::filesystem::remove_all(caller.work("out"));
    const auto writes = [&](const std::string& title) {
      write_file(caller.work("config.txt"), title + "\n");
      const Ran ran = caller.band(run);
      return ran.status == 0 && contains(ran.out, "main") && read_file(caller.work("out/main.csv")) == title + "\n" &&
             read_file(caller.work("out/log.csv")) == "2\n";
    };
    return writes("Title") && writes("Another");  // the second run replaces what the first one made
  };
  CHECK(works());
  CHECK_STATUS(caller.band({"validate", caller.skills() + "/tool"}), 0);
  for (const std::string& row : rows) {
    CAPTURE(row);
    write_file(caller.skills() + "/tool/scripts/go/BAND.md", without(band, row));
    CHECK(!works());
  }
  // Another input works with it, and a second call adds nothing.
  write_file(caller.skills() + "/tool/scripts/go/BAND.md", band);
  write_file(caller.work("b.md"), "one\n");
  CHECK_STATUS(caller.band({"run", "tool/go", "--path", "b.md", "--name", "v1"}), 0);
  words.erase(std::find(words.begin(), words.end(), "--apply"));
  const Ran again = caller.band(words);
  CHECK_STATUS(again, 0);
  CHECK_HAS(again.out, "nothing to add, nothing to remove");
}

TEST_CASE("no run has a rule that was not shown before it, and watched actions are denied") {
  const Caller caller(server());
  write_everything(caller);
  Tap tap(server());
  tap.stand_before(caller);
  const Ran learnt = caller.band(learn({"--runs", "8", "--path", "notes/a.md", "--name", "main"}));
  REQUIRE_STATUS(learnt, 0);
  CHECK_HAS_NOT(band_of(caller), "git");  // without --apply nothing is written
  const std::vector<Shown> shown = shown_runs(learnt.err);
  const std::vector<std::string> requests = tap.requests();
  REQUIRE(requests.size() == shown.size());
  REQUIRE(requests.size() >= 3);
  std::size_t opened = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::string denied = json_part(json_part(json_part(requests[i], "rules"), "net"), "deny");
    for (const std::string& rule : opened_by(requests[i])) {
      CAPTURE(rule);
      const std::string pattern = rule.substr(rule.find('"') + 1, rule.size() - rule.find('"') - 2);
      const bool watched =
          contains(shown[i].watches, "the host " + pattern + " and denies it") && contains(denied, pattern);
      // A placeholder was shown with the input's file, in the form in which it is sent.
      const std::string domain = rule.substr(0, rule.find(' ')), concrete = " = " + rule.substr(rule.find('"'));
      const bool placed = std::any_of(shown[i].opens.begin(), shown[i].opens.end(), [&](const std::string& line) {
        return line.starts_with(domain + " \"{") && line.ends_with(concrete);
      });
      CHECK((watched || placed || shown[i].opens.contains(rule)));
      opened += watched ? 0 : 1;
    }
  }
  CHECK(opened >= 4);
  CHECK(opened_by(requests[0]) == std::set<std::string>{"net \"band-learn.invalid\""});
}

TEST_CASE("the files of a placeholder are shown for each input, and a default's hidden file is not opened or tried") {
  const Caller caller(server());
  caller.script("tool/go", "set -e\ncat .env\n" + std::string(kEmptyOutput));
  caller.schema("tool/go", "input", R"({"type": "object", "properties": {
      "pad": {"type": "string"}, "path": {"type": "string", "default": ".env"}}})");
  write_file(caller.work(".env"), "KEY=1\n");
  Tap tap(server());
  tap.stand_before(caller);
  const Ran learnt = caller.band(learn({"--runs", "5", "--apply", "--pad", std::string(300, 'x')}));
  CHECK_STATUS(learnt, 1);
  CHECK_HAS(learnt.out, "read: [\"./.env\"]   # ");
  CHECK_HAS_NOT(band_of(caller), ".env");
  for (const std::string& request : tap.requests()) {
    CHECK_HAS_NOT(request, "KEY=1");
    CHECK(!opened_by(request).contains("read \"./.env\""));
  }
  // The band itself has the placeholder: its file is printed before the run.
  caller.script("tool/go", "set -e\ncat .env\n" + std::string(kEmptyOutput), "allow: {read: [\"{path}\"]}\n");
  const Ran open = caller.band(learn({"--runs", "5", "--pad", std::string(300, 'x')}));
  CHECK_STATUS(open, 0);
  CHECK_HAS(open.err, "  allows read \"{path}\" = \"./.env\"  (tool/scripts/go/BAND.md:");
}

TEST_CASE("a property whose default is a hidden file is not opened as a placeholder, for any file of the caller") {
  const Caller caller(server());
  caller.script("tool/go", "set -e\ncat \"$(jq -r .config \"$INPUT_PATH\")\"\n" + std::string(kEmptyOutput));
  caller.schema("tool/go", "input",
                R"({"type": "object", "properties": {"config": {"type": "string", "default": ".env"}}})");
  write_file(caller.work(".env"), "KEY=1\n");
  write_file(caller.work("conf.yml"), "a\n");
  CHECK_STATUS(caller.band(learn({"--config", "conf.yml", "--runs", "4", "--apply"})), 0);
  CHECK_HAS(band_of(caller), "./conf.yml");
  CHECK_HAS_NOT(band_of(caller), "{config}");
}

TEST_CASE("without a terminal there is one run, and --json has all evidence") {
  const Caller caller(server());
  write_everything(caller);
  const Ran one = caller.band(learn({"--json", "--path", "notes/a.md", "--name", "main"}));
  CHECK_STATUS(one, 3);
  CHECK(shown_runs(one.err).size() == 1);  // no second one is announced
  CHECK_HAS(one.out, R"("works":false)");
  CHECK_HAS(one.out, R"("pattern":"{path}")");
  CHECK_HAS(one.out, R"("tried":false)");
  CHECK_HAS(one.out, R"("applied":false)");
  CHECK_HAS(one.out, R"("code":"SCRIPT_FAILED")");
  CHECK_HAS(one.out, "+    - \\\"./config.txt\\\"   # run 1: ");
}

TEST_CASE("on a terminal learn prompts before each further run, and accepts a refusal") {
  const Caller caller(server());
  write_everything(caller);
  Tap tap(server());
  tap.stand_before(caller);
  const std::string program = std::string(BAND_BIN_DIR) + "/band";
  Pty terminal({program, "learn", "tool/go", "--path", "notes/a.md", "--name", "main"}, caller.env, caller.work(""),
               200);
  SEES(terminal, "allows nothing except its input");
  SEES(terminal, "run 1 ended: SCRIPT_FAILED");
  SEES(terminal, "allows read \"./config.txt\"");
  SEES(terminal, "run again with these lines? [y/N]");
  CHECK(tap.requests().size() == 1);
  terminal.type("y\n");
  SEES(terminal, "not-found: not found: git check-ref-format --branch main");
  SEES(terminal, "run again with these lines? [y/N]");
  terminal.type("\n");
  CHECK(terminal.wait() == 3);
  CHECK(tap.requests().size() == 2);
}

TEST_CASE("a refused host is named, and after a run that sent data no further run is made") {
  const Caller caller(server());
  const std::string fetch =
      "exec 3<>/dev/tcp/api.learn.example/80\n"
      "printf 'GET / HTTP/1.1\\r\\nHost: api.learn.example\\r\\nConnection: close\\r\\n\\r\\n' >&3\n"
      "grep -q hi <&3\n";
  caller.script("tool/go", "set -e\n" + fetch + kEmptyOutput);
  const Ran learnt = caller.band(learn({"--runs", "4", "--apply"}));
  REQUIRE_STATUS(learnt, 0);
  CHECK_HAS(band_of(caller), "- \"api.learn.example\"   # run 1: ");
  CHECK_HAS(learnt.err, "outside: sent ");
  CHECK_STATUS(caller.band({"run", "tool/go"}), 0);
  caller.script("tool/two", "set -e\n" + fetch + "git check-ref-format --branch main\n" + kEmptyOutput);
  const Ran stopped = caller.band(learn({"--runs", "6"}, "tool/two"));
  CHECK_STATUS(stopped, 3);
  CHECK_HAS(stopped.out, "so no further run is made: write the lines that you want into tool/scripts/two/BAND.md");
  CHECK_HAS(stopped.out, "+    - \"git check-ref-format --branch main\"");
  CHECK_HAS(stopped.out, "2 lines were not in any successful run: ");
}

TEST_CASE("a program that another program looks for is watched first, and opened with its arguments") {
  const Caller caller(server());
  caller.script("tool/go",
                "set -e\npython3 -c 'import subprocess; subprocess.run([\"git\", \"--version\"], check=True)'\n" +
                    std::string(kEmptyOutput));
  const Ran learnt = caller.band(learn({"--runs", "6", "--apply"}));
  REQUIRE_STATUS(learnt, 0);
  CHECK_HAS(learnt.err, "watches cli: names the command git and denies it");
  CHECK_HAS(band_of(caller), "- \"git --version\"   # run ");
  CHECK_HAS(band_of(caller), "python3 -c ");
  CHECK_HAS_NOT(band_of(caller), "band validate: known");  // a person decides
  CHECK_HAS(learnt.out, "wide:\n");
  CHECK_HAS(learnt.out, "python3 runs code from its files and arguments");
  CHECK_STATUS(caller.band({"run", "tool/go"}), 0);
}

TEST_CASE(
    "variables and paths of the machine are listed and never opened; a failure without a refusal is the script's "
    "error") {
  const Caller caller(server());
  caller.script("tool/go", "set -u\ncat /srv/nowhere/x\necho \"$LEARN_TOKEN\"\n");
  Environment env = caller.env;
  const Ran learnt = caller.band(learn({"--runs", "5", "--apply"}));
  CHECK_STATUS(learnt, 1);
  CHECK_HAS(learnt.out, "env: {LEARN_TOKEN: {}}");
  CHECK_HAS(learnt.out, "read: [\"/srv/nowhere/x\"]");
  CHECK_HAS(learnt.out, "no further line would allow what was refused");
  CHECK(shown_runs(learnt.err).size() == 1);
  CHECK_HAS_NOT(band_of(caller), "LEARN_TOKEN");
}

TEST_CASE("in the home directory learn runs like `band run`, and prints why it searched for no file") {
  const Caller caller(server());
  caller.script("tool/go", "set -e\ngit --version\n" + std::string(kEmptyOutput));
  Environment home = caller.env;
  home["HOME"] = caller.work("");
  home["BAND_SKILLS"] = caller.skills();
  const Ran ran = Running({std::string(BAND_BIN_DIR) + "/band", "learn", "tool/go", "--runs", "3", "--apply"}, home,
                          caller.work(""))
                      .wait();
  REQUIRE_STATUS(ran, 0);
  CHECK_HAS(band_of(caller), "git --version");
  CHECK_HAS(ran.out, "which files the script needs: the workspace would be ");
  CHECK_HAS(ran.out, "--workspace ");
}

TEST_CASE("missing files that the input or --input names are reported") {
  const Caller caller(server());
  caller.script("tool/go", "set -e\ncat \"$(jq -r .path \"$INPUT_PATH\")\"\n" + std::string(kEmptyOutput));
  caller.schema("tool/go", "input", R"({"type": "object", "properties": {"path": {"type": "string"}}})");
  const Ran ran = caller.band(learn({"--path", "nothere.md", "--runs", "3"}));
  CHECK_STATUS(ran, 1);
  CHECK_HAS(ran.out, "the input's `path` names ./nothere.md, and " +
                         caller.work("").substr(0, caller.work("").size() - 1) + " has no such file");
  const Ran input = caller.band(learn({"--input", "@nothere.json"}));
  CHECK_STATUS(input, 2);
  CHECK_HAS(input.err, "--input @nothere.json: ");
  CHECK_HAS(input.err, "write --input @FILE with a file that contains JSON");
}

TEST_CASE("a signal during a run of learn ends it with 128 and the signal's number, and nothing is written") {
  const Caller caller(server());
  // In the first run a command is refused; during the second one the signal is sent.
  caller.script("tool/go", "set -e\ngit --version\n" + kHold);
  const std::string before = band_of(caller);
  for (const int signal : {SIGINT, SIGTERM})
    for (const bool json : {false, true}) {
      CAPTURE(signal);
      Words words = learn({"--runs", "4", "--apply"});
      if (json) words.push_back("--json");
      Running running = caller.start(words);
      REQUIRE(server().held());
      running.signal(signal);
      const Ran ran = running.wait(20'000);
      CHECK_STATUS(ran, 128 + signal);
      CHECK_HAS(ran.err, "run 1 ended: SCRIPT_FAILED");
      CHECK_HAS(ran.err, "interrupted");
      if (!json) CHECK_HAS(ran.out, "+    - \"git --version\"");  // the results of the earlier runs
      CHECK(band_of(caller) == before);
      CHECK(within(5000, [] { return server().script_processes().empty(); }));
    }
}

TEST_CASE("a script that learn cannot run is refused with a remedy") {
  const Caller caller(server());
  caller.script("tool/go", kEmptyOutput);
  for (const auto& [words, says] : std::vector<std::pair<Words, const char*>>{
           {{"learn"}, "`band learn` needs a script"},
           {{"learn", "tool/go", "--runs", "0"}, "--runs 0 is not a whole number from 1 to 100"},
           {{"learn", "tool/go", "--runs", "many"}, "--runs many is not a whole number from 1 to 100"},
           {{"learn", "tool/go", "--input", "-", "--input", "-"}, "standard input can be one of the inputs"},
           {{"learn", "tool/go", "--input", "{"}, "--input"},
           {{"learn", "tool/nothing"}, "the skill has go"}}) {
    const Ran ran = caller.band(words);
    CHECK_STATUS(ran, 2);
    CHECK_HAS(ran.err, says);
  }
}
