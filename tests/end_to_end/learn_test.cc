// `band learn`: from an empty band to the smallest one with which the script works, and never a rule that was not
// shown.
#include <sys/socket.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "tests/end_to_end/pty.h"
#include "tests/end_to_end/server_fixture.h"
#include "tests/end_to_end/shipped_skill.h"
#include "tests/end_to_end/tap.h"

using namespace band::test;

namespace {

// One answer to one request of HTTP.
void answer_http(int connection) {
  char bytes[4096];
  if (::recv(connection, bytes, sizeof bytes, 0) <= 0) return;
  const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi";
  (void)!::send(connection, answer.data(), answer.size(), MSG_NOSIGNAL);
}

Port& web() {
  static Port port(answer_http);
  return port;
}

Server& server() {
  static SharedServer server("gateway: {resolve: {api.learn.example: \"127.0.0.1:" + std::to_string(web().number) +
                             "\"}}\n");
  return server;
}

// What each run was said to open: rules, and of what learn watches the names, which are listed once.
struct Shown {
  std::set<std::string> opens;
  std::string watches;
};
std::vector<Shown> shown_runs(const std::string& err) {
  std::vector<Shown> runs;
  std::istringstream lines(err);
  const std::string opens = "  opens ", adds = "  also opens ", closes = "  no longer opens ", watches = "  watches ";
  for (std::string line; std::getline(lines, line);) {
    const auto rule = [&](const std::string& head) {
      return line.substr(head.size(), line.rfind("  (") - head.size());
    };
    if (line.starts_with("run ") && contains(line, ": input "))
      runs.push_back(runs.empty() ? Shown{} : runs.back());
    else if (runs.empty())
      continue;
    else if (line.starts_with(closes))
      runs.back().opens.erase(rule(closes));
    else if (line.starts_with(opens))
      runs.back().opens.insert(rule(opens));
    else if (line.starts_with(adds))
      runs.back().opens.insert(rule(adds));
    else if (line.starts_with(watches))
      runs.back().watches += line + "\n";
  }
  return runs;
}

Words learn(Words more, const std::string& script = "tool/go") {
  more.insert(more.begin(), {"learn", script});
  return more;
}

std::string band_of(const Caller& caller, const std::string& place = "tool/scripts/go") {
  return read_file(caller.skills() + "/" + place + "/BAND.md");
}

// The rows of a band that have a reason of learn's.
Words rows_of(const std::string& band) {
  Words rows;
  std::istringstream text(band);
  for (std::string row; std::getline(text, row);)
    if (contains(row, "   # run ")) rows.push_back(row);
  return rows;
}

std::string without(const std::string& band, const std::string& row) {
  std::string rest = band;
  rest.erase(rest.find(row), row.size() + 1);
  // A list, or a section, of which nothing is left.
  for (int round = 0; round < 2; ++round) {
    std::string kept;
    Words rows;
    std::istringstream text(rest);
    for (std::string line; std::getline(text, line);) rows.push_back(line);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto indent = [&](std::size_t at) { return rows[at].find_first_not_of(' '); };
      const bool key = rows[i].ends_with(":");
      if (!key || (i + 1 < rows.size() && rows[i + 1] != "---" && indent(i + 1) > indent(i))) kept += rows[i] + "\n";
    }
    rest = kept;
  }
  return rest;
}

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
  CHECK(rows.size() == 4);
  for (const std::string& row : rows) CHECK_HAS(learnt.out, "\n+" + row + "\n");
  Words run = {"run", "tool/go"};
  run.insert(run.end(), input.begin(), input.end());
  const auto works = [&] {
    std::filesystem::remove_all(caller.work("out"));
    const Ran ran = caller.band(run);
    return ran.status == 0 && contains(ran.out, "main") && read_file(caller.work("out/main.csv")) == "Title\n" &&
           read_file(caller.work("out/log.csv")) == "2\n";
  };
  CHECK(works());
  CHECK_STATUS(caller.band({"validate", caller.skills() + "/tool"}), 0);
  for (const std::string& row : rows) {
    CAPTURE(row);
    write_file(caller.skills() + "/tool/scripts/go/BAND.md", without(band, row));
    CHECK(!works());
  }
  // Another input works with it, and a second look adds nothing.
  write_file(caller.skills() + "/tool/scripts/go/BAND.md", band);
  write_file(caller.work("b.md"), "one\n");
  CHECK_STATUS(caller.band({"run", "tool/go", "--path", "b.md", "--name", "v1"}), 0);
  words.erase(std::find(words.begin(), words.end(), "--apply"));
  const Ran again = caller.band(words);
  CHECK_STATUS(again, 0);
  CHECK_HAS(again.out, "nothing to add, nothing to take out");
}

TEST_CASE("no run has a rule that was not shown before it, and what is watched is denied") {
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
      // A placeholder was shown with what the input names by it, as which it travels.
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

TEST_CASE("what a placeholder opens is shown for each input, and a default's hidden file is neither opened nor tried") {
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
  // The band itself has the placeholder: its file is named before the run.
  caller.script("tool/go", "set -e\ncat .env\n" + std::string(kEmptyOutput), "allow: {read: [\"{path}\"]}\n");
  const Ran open = caller.band(learn({"--runs", "5", "--pad", std::string(300, 'x')}));
  CHECK_STATUS(open, 0);
  CHECK_HAS(open.err, "  opens read \"{path}\" = \"./.env\"  (tool/scripts/go/BAND.md:");
}

TEST_CASE("a property whose default is a hidden file is not opened by its name, whatever file the caller names") {
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

TEST_CASE("--apply writes nothing while a run failed or a line was not tried, and says what to run") {
  const Caller caller(server());
  caller.script("tool/go", "set -e\ngit --version\nexit 7\n");
  // 3: a further run would have the line. With it the script fails, and the exit code is the script's.
  for (const auto& [runs, code] : {std::pair("1", 3), std::pair("4", 1)}) {
    const std::string before = band_of(caller);
    const Ran learnt = caller.band(learn({"--runs", runs, "--apply"}));
    CHECK_STATUS(learnt, code);
    CHECK_HAS(learnt.out, "+    - \"git --version\"");
    CHECK_HAS(learnt.out, "--apply wrote nothing: run ");
    CHECK_HAS(learnt.out, code == 3 ? "--apply` tries them" : "Mend what it ended with; then `band learn ");
    CHECK(band_of(caller) == before);
    const Ran json = caller.band(learn({"--runs", runs, "--apply", "--json"}));
    CHECK_STATUS(json, code);
    CHECK_HAS(json.out, R"("applied":false)");
    CHECK_HAS(json.out, R"("notApplied":"--apply wrote nothing)");
    CHECK(band_of(caller) == before);
  }
}

TEST_CASE("without a terminal there is one run, and --json has all that was seen") {
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

TEST_CASE("on a terminal each further run is asked for, and no is no") {
  const Caller caller(server());
  write_everything(caller);
  Tap tap(server());
  tap.stand_before(caller);
  const std::string program = std::string(BAND_BIN_DIR) + "/band";
  Pty terminal({program, "learn", "tool/go", "--path", "notes/a.md", "--name", "main"}, caller.env, caller.work(""),
               200);
  SEES(terminal, "opens nothing beside its input");
  SEES(terminal, "run 1 ended: SCRIPT_FAILED");
  SEES(terminal, "opens read \"./config.txt\"");
  SEES(terminal, "run again with these lines? [y/N]");
  CHECK(tap.requests().size() == 1);
  terminal.type("y\n");
  SEES(terminal, "not-found: not found: git check-ref-format --branch main");
  SEES(terminal, "run again with these lines? [y/N]");
  terminal.type("\n");
  CHECK(terminal.wait() == 3);
  CHECK(tap.requests().size() == 2);
}

TEST_CASE("a host that was refused is named, and after a run that sent something no other one follows") {
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
  CHECK_HAS(stopped.out, "so no other one follows: write the lines that you want into tool/scripts/two/BAND.md");
  CHECK_HAS(stopped.out, "+    - \"git check-ref-format --branch main\"");
  CHECK_HAS(stopped.out, "no run that ended well had 2 lines: ");
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
  CHECK_HAS(learnt.out, "wide:\n");
  CHECK_HAS(learnt.out, "python3 runs what its files and arguments say");
  CHECK_STATUS(caller.band({"run", "tool/go"}), 0);
}

TEST_CASE(
    "variables and paths of the machine are named and never opened; a failure without a refusal is the script's") {
  const Caller caller(server());
  caller.script("tool/go", "set -u\ncat /srv/nowhere/x\necho \"$LEARN_TOKEN\"\n");
  Environment env = caller.env;
  const Ran learnt = caller.band(learn({"--runs", "5", "--apply"}));
  CHECK_STATUS(learnt, 1);
  CHECK_HAS(learnt.out, "env: {LEARN_TOKEN: {}}");
  CHECK_HAS(learnt.out, "read: [\"/srv/nowhere/x\"]");
  CHECK_HAS(learnt.out, "nothing more was refused that a line would open");
  CHECK(shown_runs(learnt.err).size() == 1);
  CHECK_HAS_NOT(band_of(caller), "LEARN_TOKEN");
}

TEST_CASE("lines that no run used are taken out, a file that is only tested for is kept") {
  const Caller caller(server());
  write_file(caller.work("a.txt"), "a\n");
  write_file(caller.work("b.txt"), "b\n");
  caller.script("tool/go", "set -e\n[ -f a.txt ]\ngit --version\n" + std::string(kEmptyOutput),
                "# what it is for\nallow:\n  cli: [git --version, git log *]\n  read:\n    - ./b.txt   # unused\n");
  const Ran learnt = caller.band(learn({"--runs", "8", "--apply"}));
  REQUIRE_STATUS(learnt, 0);
  const std::string band = band_of(caller);
  CHECK_HAS(band, "# what it is for\n");
  CHECK_HAS(band, "cli: [git --version]\n");
  CHECK_HAS_NOT(band, "b.txt");
  CHECK_HAS(band, "./a.txt");
  CHECK_STATUS(caller.band({"run", "tool/go"}), 0);
}

TEST_CASE("the skills that ship, with their bands taken away, get what they ship with or less") {
  const Caller caller(server());
  Environment env = caller.env;
  env["GIT_CONFIG_GLOBAL"] = "/dev/null";
  const Ran made = Running({"/usr/bin/bash", "-c",
                            "git init -q . && for i in 1 2 3; do git -c user.name=a -c user.email=a@b.example "
                            "commit -q --allow-empty -m $i; done"},
                           env, caller.work(""))
                       .wait();
  REQUIRE_STATUS(made, 0);
  write_file(caller.work("book.txt"), "one two\nthree\nfour\n");
  write_file(caller.work("more.txt"), "one\n");
  struct Row {
    const char *script, *band;  // which BAND.md, below the skill
    Words inputs;
    std::set<std::string> lines;  // what it ships with differs as the comment says
    const char* by_hand = "";     // what learn leaves to a person, and never tries
  };
  for (const Row& row : {Row{"hello/greet", "BAND.md", {R"({"name": "World"})"}, {}},
                         // Ships ./**/*.txt, of which the script reads the one that `path` names.
                         Row{"text/wordcount", "BAND.md", {R"({"path": "book.txt"})"}, {"\"{path}\""}},
                         Row{"text/split",
                             "scripts/split/BAND.md",
                             {R"({"path": "book.txt", "lines": 2})"},
                             {"\"{path}\"", "\"./out/*.txt\""}},
                         // Ships `git log *`, insisted on as well; learn keeps the options that run.sh writes. A
                         // repository is a person's to open.
                         Row{"repo/changes",
                             "scripts/changes/BAND.md",
                             {R"({"count": 1})", R"({"count": 2})"},
                             {"\"git log --max-count=* --date=short --format=%h%x00%an%x00%ad%x00%s%x00\""},
                             "allow: {read: [./.git/**]}\n"}}) {
    const std::string script = row.script, skill = script.substr(0, script.find('/'));
    CAPTURE(script);
    const std::string place = copy_of(caller, skill) + "/" + row.band;
    std::string bare;
    std::istringstream shipped(read_file(place));
    bool rules = false;  // inside of allow or insist
    for (std::string line; std::getline(shipped, line);) {
      rules = line.starts_with("allow:") || line.starts_with("insist:") || (rules && line.starts_with(" "));
      if (!rules) bare += line + "\n";
    }
    write_file(place, bare);
    Words words = learn({"--runs", "10", "--apply"}, script);
    for (const std::string& input : row.inputs) words.insert(words.end(), {"--input", input});
    if (*row.by_hand != '\0') {
      const Ran asked = caller.band(words);
      CHECK_STATUS(asked, 1);
      CHECK_HAS(asked.out, "read: [\"./.git/**\"]   # git found no repository; .git/config may hold credentials");
      CHECK(read_file(place) == bare);
      bare.insert(bare.find("\n---") + 1, row.by_hand);
      write_file(place, bare);
    }
    const Ran learnt = caller.band(words);
    REQUIRE_STATUS(learnt, 0);
    std::set<std::string> lines;
    for (const std::string& line : rows_of(read_file(place)))
      lines.insert(line.substr(line.find("- ") + 2, line.find("   # run ") - line.find("- ") - 2));
    CHECK_MESSAGE(lines == row.lines, read_file(place), learnt.err);
    if (skill == "repo") CHECK_HAS(read_file(place), "insist:\n  cli:\n    - \"git log ");
    Words run = {"run", script, "--input", row.inputs.front()};
    CHECK_STATUS(caller.band(run), 0);
  }
}

TEST_CASE("lines for one of several scripts go into a BAND.md of its own, and the other scripts run as before") {
  const Caller caller(server());
  const std::string skill = caller.skills() + "/tool";
  const std::string source = "set -e\ngit --version\n";
  caller.script("tool/go", source + "cat \"$(jq -r .path \"$INPUT_PATH\")\"\n" + kEmptyOutput);
  caller.schema("tool/go", "input", R"({"type": "object", "properties": {"path": {"type": "string"}}})");
  caller.script("tool/other", source + kEmptyOutput);
  for (const char* script : {"go", "other"}) std::filesystem::remove(skill + "/scripts/" + script + "/BAND.md");
  const std::string shared = "---\nband: tool\nallow: {net: [x.example], cli: [git --version]}\n---\n";
  write_file(skill + "/BAND.md", shared);
  write_file(caller.work("a.txt"), "a\n");
  const Words input = {"--path", "a.txt"}, apply = {"--path", "a.txt", "--runs", "4", "--apply"};
  Words runs = input;
  runs.insert(runs.end(), {"--runs", "4"});
  const Ran shown = caller.band(learn(runs));
  REQUIRE_STATUS(shown, 0);
  CHECK_HAS(shown.out, "tool/scripts/go/BAND.md is a new file: tool/BAND.md is also the band of tool/other\n");
  CHECK_HAS(shown.out, "which lines no run used: tool/BAND.md is also the band of tool/other");
  CHECK(!exists(skill + "/scripts/go/BAND.md"));
  // The diff, as patch(1) takes it, makes what --apply makes.
  const std::size_t at = shown.out.find("--- ");
  write_file(caller.work("diff"), shown.out.substr(at, shown.out.find("tool/scripts/go/BAND.md is a new file") - at));
  const Ran patched =
      Running({"/usr/bin/patch", "-p0", "-d", caller.skills(), "-i", caller.work("diff")}, caller.env, "/").wait();
  REQUIRE_STATUS(patched, 0);
  const std::string own = band_of(caller);
  CHECK_HAS(own, "includes: \"../../BAND.md\"\n");
  CHECK_HAS(own, "    - \"{path}\"   # run 1: ");
  std::filesystem::remove(skill + "/scripts/go/BAND.md");
  const Ran learnt = caller.band(learn(apply));
  REQUIRE_STATUS(learnt, 0);
  CHECK_HAS(learnt.err, "wrote " + skill + "/scripts/go/BAND.md");
  CHECK(band_of(caller) == own);
  CHECK(read_file(skill + "/BAND.md") == shared);
  CHECK_STATUS(caller.band({"run", "tool/go", "--path", "a.txt"}), 0);
  CHECK_STATUS(caller.band({"run", "tool/other"}), 0);  // its input has no `path`
  CHECK_STATUS(caller.band({"validate", skill}), 0);
  // What is there already is the place then.
  CHECK_HAS(caller.band(learn(runs)).out, "tool/scripts/go/BAND.md: nothing to add, nothing to take out");
}

TEST_CASE("the BAND.md of a skill with one script gets the lines, another skill's is not written") {
  const Caller caller(server());
  const std::string source = "set -e\ngit --version\n" + std::string(kEmptyOutput);
  caller.script("tool/go", source);
  std::filesystem::remove(caller.skills() + "/tool/scripts/go/BAND.md");
  const std::string shared = "---\nband: tool\nallow: {read: [./x]}\n---\n";
  write_file(caller.skills() + "/tool/BAND.md", shared);
  const Ran learnt = caller.band(learn({"--runs", "4", "--apply"}));
  REQUIRE_STATUS(learnt, 0);
  CHECK_HAS(read_file(caller.skills() + "/tool/BAND.md"), "allow: {read: [./x], cli: [\"git --version\"]}\n");
  CHECK(!exists(caller.skills() + "/tool/scripts/go/BAND.md"));
  write_file(caller.skills() + "/tool/BAND.md", shared);
  caller.script("third/go", source);
  const std::string delegating = "---\nband: third\npath: ../../../tool/BAND.md\n---\n";
  write_file(caller.skills() + "/third/scripts/go/BAND.md", delegating);
  const Ran foreign = caller.band(learn({"--runs", "4", "--apply"}, "third/go"));
  CHECK_STATUS(foreign, 0);
  CHECK_HAS(foreign.out, "third/scripts/go/BAND.md leads to tool/BAND.md, which is not this script's alone");
  CHECK_HAS(foreign.out, "allow: {cli: [\"git --version\"]}   # run 1: ");
  CHECK(read_file(caller.skills() + "/tool/BAND.md") == shared);
  CHECK(band_of(caller, "third/scripts/go") == delegating);
}

TEST_CASE("what is insisted on or taken out is written only after a run that had it, and named when there was none") {
  const Caller caller(server());
  const std::string source = "set -e\ngit --version\n" + std::string(kEmptyOutput),
                    rules = "allow:\n  cli: [git log *]\n";
  caller.script("tool/go", source, rules);
  const Words two = {"--input", "{}", "--input", "{}"};
  const auto with = [&](const char* runs) {
    Words words = {"--runs", runs, "--apply"};
    words.insert(words.end(), two.begin(), two.end());
    return caller.band(learn(words));
  };
  // Three runs: refused, and each input once. Nothing has had the insist, nor been without `git log *`.
  const Ran few = with("3");
  REQUIRE_STATUS(few, 0);
  CHECK_HAS(few.out,
            "left out, because no run that ended well had it (--runs 3 allows no further run):\n"
            "  insist: {cli: [\"git --version\"]}\n"
            "  without allow.cli \"git log *\"");
  CHECK_HAS(few.out, "tries what was left out");
  CHECK_HAS(band_of(caller), "git log *");
  CHECK_HAS_NOT(band_of(caller), "insist");
  caller.script("tool/go", source, rules);
  Tap tap(server());
  tap.stand_before(caller);
  const Ran enough = with("5");
  REQUIRE_STATUS(enough, 0);
  CHECK_HAS(enough.err, "run 5: input 2 of 2, {}\n  with the band as it would be written\n");
  CHECK_HAS(enough.err, "  no longer opens cli \"git log *\"");
  CHECK_HAS(enough.err, "  insists on cli \"git --version\"");
  CHECK_HAS_NOT(enough.out, "left out");
  CHECK_HAS(band_of(caller), "insist:\n  cli:\n    - \"git --version\"");
  CHECK_HAS_NOT(band_of(caller), "git log");
  const std::vector<std::string> requests = tap.requests();
  REQUIRE(requests.size() == 5);
  for (const std::size_t i : {3u, 4u}) {
    CHECK(opened_by(requests[i]) == std::set<std::string>{"cli \"git --version\""});
    CHECK_HAS(json_part(json_part(json_part(requests[i], "rules"), "cli"), "insist"), "git --version");
  }
}

TEST_CASE("a line that no run used and whose absence the script notices is not taken out") {
  const Caller caller(server());
  // It asks only whether the command is there.
  caller.script("tool/go", "set -e\ncommand -v git\n" + std::string(kEmptyOutput), "allow: \n  cli: [git log *]\n");
  const Ran learnt = caller.band(learn({"--runs", "4", "--apply"}));
  REQUIRE_STATUS(learnt, 0);
  CHECK_HAS(learnt.out,
            "left out, because no run that ended well had it (run 2, with the band as it would be, ended "
            "with SCRIPT_FAILED):\n  without allow.cli \"git log *\"");
  CHECK_HAS(band_of(caller), "git log *");
  CHECK_STATUS(caller.band({"run", "tool/go"}), 0);
}

TEST_CASE("after a run that sent something nothing is taken out") {
  const Caller caller(server());
  caller.script("tool/go",
                "set -e\nexec 3<>/dev/tcp/api.learn.example/80\n"
                "printf 'GET / HTTP/1.1\\r\\nHost: api.learn.example\\r\\nConnection: close\\r\\n\\r\\n' >&3\n"
                "grep -q hi <&3\n" +
                    std::string(kEmptyOutput),
                "allow:\n  net: [api.learn.example, other.example]\n");
  const std::string before = band_of(caller);
  const Ran learnt = caller.band(learn({"--runs", "4", "--apply"}));
  REQUIRE_STATUS(learnt, 0);
  CHECK(shown_runs(learnt.err).size() == 1);
  CHECK_HAS(learnt.out, "so no other one follows):\n  without allow.net \"other.example\"");
  CHECK(band_of(caller) == before);
}

TEST_CASE("what cannot be learnt from is refused with what to write") {
  const Caller caller(server());
  caller.script("tool/go", kEmptyOutput);
  for (const auto& [words, says] : std::vector<std::pair<Words, const char*>>{
           {{"learn"}, "which script?"},
           {{"learn", "tool/go", "--runs", "0"}, "write a number from 1 to 100"},
           {{"learn", "tool/go", "--runs", "many"}, "write a number from 1 to 100"},
           {{"learn", "tool/go", "--input", "-", "--input", "-"}, "standard input can be one of the inputs"},
           {{"learn", "tool/go", "--input", "{"}, "--input"},
           {{"learn", "tool/nothing"}, "it has go"}}) {
    const Ran ran = caller.band(words);
    CHECK_STATUS(ran, 2);
    CHECK_HAS(ran.err, says);
  }
}
