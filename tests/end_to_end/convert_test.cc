// `band convert`: ordinary skills (tests/data/agent_skills) do the same before and after the conversion.
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

namespace fs = std::filesystem;

const std::string kSources = BAND_SOURCE_DIR "/tests/data/agent_skills";

using Files = std::map<std::string, std::string>;

// Every file below a directory, with its content.
Files files_below(const std::string& directory) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    if (entry.is_regular_file())
      files[fs::relative(entry.path(), directory).string()] = read_file(entry.path().string());
  return files;
}

void write_files(const std::string& directory, const Files& files) {
  fs::create_directories(directory);
  for (const auto& [name, content] : files) write_file((fs::path(directory) / name).string(), content);
}

// One call: in the form of the skill's author, and in the form with band.
struct Call {
  const char* what;
  const char* skill;
  Words original;  // in the skill's directory: "python3", "scripts/x.py", ...
  std::string script;
  std::string input;  // for the converted script
  std::string standard_input;
  Files workspace;
  int status = 0;     // from the original
  bool json = false;  // it prints JSON
};

Ran run_original(const Caller& caller, const Call& call, const std::string& directory) {
  Words words = call.original;
  words[0] = words[0] == "python3" ? "/usr/bin/python3" : "/usr/bin/bash";
  words[1] = kSources + "/" + call.skill + "/" + words[1];
  Environment env = caller.env;
  env["PYTHONDONTWRITEBYTECODE"] = "1";
  env["LANG"] = "C.UTF-8";
  return Running(words, env, directory, call.standard_input).wait();
}

// JSON with its members sorted and without white space between them; or the text of {"text": ...}.
std::string read_output(const std::string& text, bool json) {
  const Words words = json ? Words{"/usr/bin/jq", "-cS", "."} : Words{"/usr/bin/jq", "-j", ".text"};
  return Running(words, {}, "/", text).wait().out;
}

Ran convert(const Caller& caller, const std::string& skill, const Words& more = {}) {
  Words words{"convert", kSources + "/" + skill, "--output", caller.skills() + "/" + skill};
  words.insert(words.end(), more.begin(), more.end());
  fs::create_directories(caller.skills());
  return caller.band(words);
}

// Removes the `#` before each line that opens tasks.json, as a user does to allow the script's default.
void open_default(const std::string& band) {
  std::string text = read_file(band);
  for (const char* rule : {"- {path: \"./tasks.json\", optional: true}", "- \"./tasks.json\""}) {
    const std::size_t at = text.find("# " + std::string(rule));
    REQUIRE_MESSAGE(at != std::string::npos, text);
    text.erase(at, 2);
  }
  write_file(band, text);
}

const std::string kCsv = "name,city\nann,Köln\nbob,Rome\ncy,Köln\n";
const std::string kLog =
    "1 INFO start\n2 ERROR time is out\n3 WARN -x odd\n4 ERROR Timed OUT\n5 INFO time, out\n6 ERROR it's \"time\" "
    "$(out)\n";
const std::string kRecords = R"([{"name": "Zoë", "age": 3, "x": 1}, {"name": "Al", "age": 1.50}, {"name": "Bo"}])";
const Files kReport{{"notes.txt", "a b\nc\n"}};
const std::string kTasks = "[\n {\n  \"title\": \"one\",\n  \"tags\": [\n   \"a\"\n  ],\n  \"done\": false\n }\n]\n";

const std::vector<Call>& calls() {
  static const std::vector<Call> all{
      {"argparse: a file",
       "csv-summary",
       {"python3", "scripts/summarize.py", "data.csv"},
       "summarize",
       R"({"file":"data.csv"})",
       "",
       {{"data.csv", kCsv}}},
      {"argparse: options",
       "csv-summary",
       {"python3", "scripts/summarize.py", "--top", "1", "-c", "city", "-c", "name", "--upper", "d/x y.csv"},
       "summarize",
       R"({"file":"d/x y.csv","top":1,"column":["city","name"],"upper":true})",
       "",
       {{"d/x y.csv", kCsv}}},
      {"argparse: a file named like an option",
       "csv-summary",
       {"python3", "scripts/summarize.py", "--no-header", "--", "-d.csv"},
       "summarize",
       R"({"file":"-d.csv","no_header":true})",
       "",
       {{"-d.csv", kCsv}}},
      {"argparse: a status of the script's",
       "csv-summary",
       {"python3", "scripts/summarize.py", "missing.csv"},
       "summarize",
       R"({"file":"missing.csv"})",
       "",
       {},
       1},
      {"argparse: a status of argparse's",
       "csv-summary",
       {"python3", "scripts/summarize.py", "--no-header", "--upper", "data.csv"},
       "summarize",
       R"({"file":"data.csv","no_header":true,"upper":true})",
       "",
       {{"data.csv", kCsv}},
       2},
      {"getopts",
       "log-grep",
       {"bash", "scripts/grep-log.sh", "-i", "-l", "ERROR", "-n", "2", "tim.*out", "app.log"},
       "grep-log",
       R"({"i":true,"level":"ERROR","count":2,"pattern":"tim.*out","file":"app.log"})",
       "",
       {{"app.log", kLog}}},
      {"getopts: what a shell would read",
       "log-grep",
       {"bash", "scripts/grep-log.sh", R"('s "time" \$\(out\))", "app.log"},
       "grep-log",
       R"x({"pattern":"'s \"time\" \\$\\(out\\)","file":"app.log"})x",
       "",
       {{"app.log", kLog}}},
      {"getopts: a pattern that begins with -",
       "log-grep",
       {"bash", "scripts/grep-log.sh", "--", "-x", "app.log"},
       "grep-log",
       R"({"pattern":"-x","file":"app.log"})",
       "",
       {{"app.log", kLog}}},
      {"getopts: nothing is found",
       "log-grep",
       {"bash", "scripts/grep-log.sh", "nothing", "app.log"},
       "grep-log",
       R"({"pattern":"nothing","file":"app.log"})",
       "",
       {{"app.log", kLog}},
       1},
      {"getopts: a status of the script's",
       "log-grep",
       {"bash", "scripts/grep-log.sh", "x", "no.log"},
       "grep-log",
       R"({"pattern":"x","file":"no.log"})",
       "",
       {},
       3},
      {"stdin and JSON",
       "json-pick",
       {"python3", "scripts/pick.py", "--fields", "name", "age", "--limit", "2"},
       "pick",
       R"({"fields":["name","age"],"limit":2})",
       kRecords,
       {},
       0,
       true},
      {"stdin: sorted",
       "json-pick",
       {"python3", "scripts/pick.py", "--fields", "name", "--sort", "name", "--reverse", "--indent", "0"},
       "pick",
       R"({"fields":["name"],"sort":"name","reverse":true,"indent":0})",
       kRecords,
       {},
       0,
       true},
      {"stdin: not JSON",
       "json-pick",
       {"python3", "scripts/pick.py", "--fields", "name"},
       "pick",
       R"({"fields":["name"]})",
       "{",
       {},
       1},
      {"case: writes a file",
       "report-writer",
       {"bash", "scripts/report.sh", "--input", "notes.txt", "-o", "out/r.md", "--title", "-My \"notes\"", "--tag",
        "a b", "--tag", "c"},
       "report",
       R"({"script_input":"notes.txt","output":"out/r.md","title":"-My \"notes\"","tag":["a b","c"]})",
       "",
       {{"notes.txt", "a b\nc\n"}, {"out/keep", ""}}},
      {"case: does not replace",
       "report-writer",
       {"bash", "scripts/report.sh", "--input", "notes.txt", "-o", "r.md"},
       "report",
       R"({"script_input":"notes.txt","output":"r.md"})",
       "",
       {{"notes.txt", "a\n"}, {"r.md", "old\n"}},
       1},
      {"case: replaces",
       "report-writer",
       {"bash", "scripts/report.sh", "--input", "notes.txt", "-o", "r.md", "--force"},
       "report",
       R"({"script_input":"notes.txt","output":"r.md","force":true})",
       "",
       {{"notes.txt", "a\n"}, {"r.md", "old\n"}}},
      {"case: nothing given", "report-writer", {"bash", "scripts/report.sh"}, "report", "{}", "", {}, 2},
      {"subcommands: a module in the same directory",
       "task-list",
       {"python3", "scripts/tasks.py", "add", "Größe", "urgent", "home"},
       "tasks-add",
       R"({"title":"Größe","tags":["urgent","home"]})",
       "",
       {{"tasks.json", kTasks}}},
      {"subcommands: a title that begins with -",
       "task-list",
       {"python3", "scripts/tasks.py", "--file", "my.json", "add", "--", "-x"},
       "tasks-add",
       R"({"title":"-x","file":"my.json"})",
       "",
       {}},
      {"subcommands: a new file",
       "task-list",
       {"python3", "scripts/tasks.py", "--file", "my.json", "add", "x"},
       "tasks-add",
       R"({"title":"x","file":"my.json"})",
       "",
       {}},
      {"subcommands: counts",
       "task-list",
       {"python3", "scripts/tasks.py", "-v", "-v", "list", "--tag", "a"},
       "tasks-list",
       R"({"script_verbose":2,"tag":"a"})",
       "",
       {{"tasks.json", kTasks}}},
      {"subcommands: changes",
       "task-list",
       {"python3", "scripts/tasks.py", "done", "1"},
       "tasks-done",
       R"({"number":1})",
       "",
       {{"tasks.json", kTasks}}},
      {"subcommands: fails",
       "task-list",
       {"python3", "scripts/tasks.py", "done", "9"},
       "tasks-done",
       R"({"number":9})",
       "",
       {{"tasks.json", kTasks}},
       1},
  };
  return all;
}

}  // namespace

TEST_CASE("five ordinary skills do the same before and after the conversion: output, status and files") {
  const Caller caller(shared_server());
  std::set<std::string> converted;
  for (const Call& call : calls()) {
    CAPTURE(std::string(call.what));
    if (converted.insert(call.skill).second) {
      REQUIRE_STATUS(convert(caller, call.skill), 0);
      if (std::string(call.skill) == "task-list")
        for (const char* script : {"tasks-add", "tasks-list", "tasks-done"})
          open_default(caller.skills() + "/task-list/scripts/" + script + "/BAND.md");
      const Ran valid = caller.band({"validate", caller.skills() + "/" + call.skill});
      CHECK_STATUS(valid, 0);
    }
    const std::string outside = caller.directory.path + "/outside", inside = caller.work("");
    for (const std::string& directory : {outside, inside}) {
      fs::remove_all(directory);
      write_files(directory, call.workspace);
    }
    const Ran original = run_original(caller, call, outside);
    REQUIRE_STATUS(original, call.status);
    Words words{"run", std::string(call.skill) + "/" + call.script, "--input", call.input};
    if (!call.standard_input.empty()) words.emplace_back("--stdin");
    const Ran ran = caller.band(words, call.standard_input);
    CHECK(files_below(inside) == files_below(outside));
    if (call.status == 0) {
      CHECK_STATUS(ran, 0);
      CHECK(read_output(ran.out, call.json) == (call.json ? read_output(original.out, true) : original.out));
      continue;
    }
    CHECK_STATUS(ran, 1);
    CHECK_HAS(ran.err, "the script ended with status " + std::to_string(call.status));
    if (original.err.empty()) continue;
    const std::string said = original.err.substr(0, original.err.size() - 1);  // without the last line feed
    CHECK_HAS(ran.err, said.substr(said.rfind('\n') + 1));
    const std::string first = said.substr(0, said.find('\n'));
    if (first != said) CHECK(ran.err.find(first) == ran.err.rfind(first));  // only the log has it
  }
}

TEST_CASE("an option with many values does not consume positional arguments, in the sandbox and outside") {
  const Caller caller(shared_server());
  const std::string script = caller.work("many/scripts/del.py");
  write_file(caller.work("many/SKILL.md"), "---\nname: many\ndescription: x\n---\n");
  write_file(script,
             "import argparse\np = argparse.ArgumentParser()\np.add_argument('names', nargs='*')\n"
             "p.add_argument('--exclude', nargs='+')\nprint(vars(p.parse_args()))\n");
  REQUIRE_STATUS(caller.band({"convert", "many", "--output", caller.work("many-two")}), 0);
  const Ran ran = caller.band(
      {"run", "many-two/del", "--skills", caller.work(""), "--names", "a", "--names", "-b", "--exclude", "c"});
  CHECK_STATUS(ran, 0);
  CHECK(read_output(ran.out, false) ==
        Running({"/usr/bin/python3", script, "--exclude", "c", "--", "a", "-b"}, {}, "/").wait().out);
}

TEST_CASE("the output shows how to call the converted scripts, and each guess is a note with its place") {
  const Caller caller;  // without a server
  const Ran made = convert(caller, "task-list");
  REQUIRE_STATUS(made, 0);
  const std::string output = caller.skills() + "/task-list/";
  CHECK_HAS(made.out, "task-list/tasks-add  scripts/tasks.py, arguments read from argparse");
  CHECK_HAS(made.out, "band validate " + caller.skills() + "/task-list\n");
  CHECK_HAS_NOT(made.out, "task-list/store");
  CHECK_HAS(made.err, "note: " + output +
                          "SKILL.md:23:12: names scripts/tasks.py, which is now in scripts/_lib; write `band call "
                          "task-list/tasks-list");
  CHECK_HAS(made.err, "note: " + output + "references/format.md:3:2: names scripts/tasks.py");
  CHECK_HAS(made.err, "note: " + output + "scripts/tasks-add/BAND.md:");
  const std::string skill = read_file(output + "SKILL.md");
  CHECK_HAS(skill, "allowed-tools: Bash(band call task-list/*)\n---\n");
  CHECK_HAS(skill, "    band call task-list/tasks-add --title TITLE");
  CHECK_HAS(skill, "See references/format.md for the file.");
  CHECK_HAS(read_file(output + "scripts/tasks-add/BAND.md"), "\"python3 /band/skill/lib/tasks.py *\"");
  CHECK_HAS_NOT(read_file(output + "scripts/tasks-add/BAND.md"), "band validate: known");  // a person decides
  const Ran help = caller.band({"run", "task-list/tasks-add", "--help"});
  CHECK_STATUS(help, 0);
  CHECK_HAS(help.out, "the file of the tasks");
  CHECK_HAS(help.out, R"(the script's default: "tasks.json")");
}

TEST_CASE("the source is only read and never executed, and a failed conversion leaves nothing") {
  const Caller caller;  // without a server
  const std::string source = caller.work("wild");
  const auto write_source = [&](const std::string& script) {
    write_file(source + "/SKILL.md", "# Wild\n");
    write_file(source + "/scripts/go.sh", script, 0755);
  };
  write_source("touch " + caller.work("executed") + "\necho \"$(touch " + caller.work("executed") + ")\"\n");
  const Files before = files_below(caller.work(""));
  CHECK_STATUS(caller.band({"convert", "wild", "--output", "new-wild", "--dry-run"}), 0);
  CHECK(files_below(caller.work("")) == before);
  const std::vector<std::pair<Words, std::string>> refused{
      {{"convert", "wild"}, "--output ~/.band/skills/csv-tools"},
      {{"convert", "nothing", "--output", "new-wild"}, "nothing is not a directory"},
      {{"convert", "wild", "--output", "New"}, "is not a valid name of a skill"},
      {{"convert", "wild", "--output", "wild/SKILL.md/new-wild"}, "SKILL.md is not a directory"},
      {{"convert", "wild", "--output", "wild/new-wild"}, "band does not change SOURCE"},
      {{"convert", "wild", "--output", "wild"}, "band does not change SOURCE"}};
  for (const auto& [words, says] : refused) {
    const Ran ran = caller.band(words);
    CHECK_STATUS(ran, 2);
    CHECK_HAS(ran.err, says);
  }
  fs::create_directories(caller.work("there"));
  write_file(caller.work("there/x"), "mine");
  CHECK_STATUS(caller.band({"convert", "wild", "--output", "there"}), 5);
  fs::remove_all(caller.work("there"));
  fs::create_symlink("/etc/passwd", source + "/assets");
  const Ran linked = caller.band({"convert", "wild", "--output", "new-wild"});
  CHECK_STATUS(linked, 2);
  CHECK_HAS(linked.err, "wild/assets is a link that points outside the skill");
  fs::remove(source + "/assets");
  CHECK(files_below(caller.work("")) == before);
  CHECK(!exists(caller.work("new-wild")));
  fs::create_directories(caller.work("new-wild"));  // an empty one is accepted
  CHECK_STATUS(caller.band({"convert", "wild/", "--output", "new-wild/"}), 0);
  CHECK(exists(caller.work("new-wild/scripts/go/run.sh")));
  CHECK(!exists(caller.work("executed")));
}

TEST_CASE("a name with a line feed begins no line of a message") {
  const Caller caller;  // without a server
  const std::string odd = "n\x1b[31m\nhint: all is fine";
  const auto say = [&](const std::string& source, const std::string& output, const std::string& says) {
    const Ran ran = caller.band({"convert", source, "--output", output});
    CHECK_HAS(ran.err, says);
    CHECK_HAS_NOT(ran.err, "\nhint: all is fine");
    CHECK_HAS_NOT(ran.out, "\nhint: all is fine");
    CHECK_HAS_NOT(ran.err, "\x1b");
  };
  const auto write_source = [&](const std::string& directory) {
    write_file(directory + "/SKILL.md", "---\nname: wild\ndescription: x\n---\n");
    write_file(directory + "/scripts/good.py", "import numpy\n");
    write_file(directory + "/scripts/old.py", "#!/usr/bin/python2\n");
  };
  const std::string shown = "n\\x1b[31m\\nhint: all is fine";
  write_source(caller.work("named"));
  write_file(caller.work("named/scripts/" + odd + ".py"), "print(1)\n");
  say("named", "new-wild", "error: named/scripts/" + shown + ".py has a name that cannot be sent\n");
  write_source(caller.work("hidden"));
  write_file(caller.work("hidden/" + odd + "/.x"), "x");
  say("hidden", "new-wild", "note: hidden/" + shown + "/.x: was not copied");
  say(odd, "new-wild", "error: " + shown + " is not a directory\n");
  write_source(caller.work(odd));
  say(odd, "new-wild-two", "note: " + shown + "/scripts/good.py:1:1: imports `numpy`");
  say(odd, "new-wild-three", "\n" + shown + "/scripts/old.py: was not converted");
  say("hidden", odd + "/hidden", "note: " + caller.work(shown) + "/hidden/SKILL.md:2:1: the name `wild` became");
  say("hidden", odd + "/hidden",
      "error: " + caller.work(shown) + "/hidden exists already and is not an empty directory\n");
}

TEST_CASE("a script that cannot be converted is an error with exit code 2, and the others are converted") {
  const Caller caller;  // without a server
  write_file(caller.work("mixed/SKILL.md"), "---\nname: mixed\ndescription: x\n---\n");
  write_file(caller.work("mixed/scripts/good.py"), "print('hello')\n");
  write_file(caller.work("mixed/scripts/old"), "#!/usr/bin/env python2\nprint 1\n");
  write_file(caller.work("mixed/scripts/needs.py"), "import numpy, requests\ninput('name? ')\n");
  const Ran made = caller.band({"convert", "mixed", "--output", caller.work("mixed-two"), "--json"});
  CHECK_STATUS(made, 2);
  CHECK_HAS(made.out, R"("message":"was not converted: it is written for Python 2")");
  CHECK_HAS(made.out, R"({"name":"good","file":"scripts/good.py","arguments":"none")");
  CHECK_HAS(made.err, "mixed/scripts/needs.py:1:1: imports `numpy`");
  CHECK_HAS(made.err, "`apt-get install python3-requests`");
  CHECK_HAS(made.err, "mixed/scripts/needs.py:2:1: prompts for an answer");
  write_file(caller.work("text/SKILL.md"), "---\nname: text\n---\n");
  const Ran without = caller.band({"convert", "text", "--output", caller.work("text-two")});
  CHECK_STATUS(without, 2);
  CHECK_HAS(without.err, "text has no script in scripts/");
  const Ran shipped = caller.band({"convert", BAND_SOURCE_DIR "/skills/hello", "--output", caller.work("hello-two")});
  CHECK_STATUS(shipped, 2);
  CHECK_HAS(shipped.err, "the skill is already written for band");
  const Server& server = shared_server();
  caller.target(server.url(), server.token("laptop"), server.port_there());
  const Ran ran = caller.band({"run", "mixed-two/good", "--skills", caller.work("")});
  CHECK_STATUS(ran, 0);
  CHECK_HAS(ran.out, R"({"text":"hello\n"})");
}

TEST_CASE("a shell script with a syntax error is an error with its place, and its words are not commands") {
  const Caller caller;  // without a server
  const std::string source = caller.work("mixed");
  write_file(source + "/SKILL.md", "---\nname: mixed\ndescription: x\n---\n");
  write_file(source + "/scripts/foo.sh", "# x\nprint(2)\n");
  write_file(source + "/scripts/bare", "#!/bin/sh\nif true; then\n");
  write_file(source + "/scripts/open.sh", "cat <<END\ntext\n");
  write_file(source + "/scripts/good.sh", "shopt -s extglob\necho !(a)\n");
  for (const char* more : {"--json", "--dry-run"}) {
    const Ran made = caller.band({"convert", "mixed", "--output", caller.work("mixed-two"), more});
    CHECK_STATUS(made, 2);
    CHECK_HAS(made.err,
              "mixed/scripts/foo.sh:2: was not converted: syntax error near unexpected token `2'; correct it, and "
              "convert again\n");
    CHECK_HAS(made.err, "mixed/scripts/bare:");
    CHECK_HAS(made.err, "note: mixed/scripts/open.sh:2: here-document at line 1 delimited by end-of-file");
    CHECK_HAS_NOT(made.err, "`print`");
    CHECK_HAS_NOT(made.err, "good.sh");
    fs::remove_all(caller.work("mixed-two"));
  }
  for (const char* script : {"good.sh", "open.sh"}) fs::remove(source + "/scripts/" + script);
  const Ran none = caller.band({"convert", "mixed", "--output", caller.work("mixed-two")});
  CHECK_STATUS(none, 2);
  CHECK_HAS(none.err, "mixed has no script in scripts/ that band can run");
  CHECK_HAS(none.err, "was not converted: syntax error");
}

TEST_CASE("text of any length is returned unchanged, and bytes that are not UTF-8 are refused") {
  const Caller caller(shared_server());
  write_file(caller.work("wide/SKILL.md"), "---\nname: wide\ndescription: x\n---\n");
  write_file(caller.work("wide/scripts/long.py"),
             "import sys\nsys.stdout.write('x' + '\u00e9' * 100000 + '\\n\\n\\0end')\n");
  write_file(caller.work("wide/scripts/bytes.py"), "import sys\nsys.stdout.buffer.write(bytes([255, 10]))\n");
  REQUIRE_STATUS(caller.band({"convert", "wide", "--output", caller.work("wide-two")}), 0);
  const Ran longer = caller.band({"run", "wide-two/long", "--skills", caller.work("")});
  CHECK_STATUS(longer, 0);
  CHECK(read_output(longer.out, false) ==
        Running({"/usr/bin/python3", caller.work("wide/scripts/long.py")}, {{"LANG", "C.UTF-8"}}, "/").wait().out);
  const Ran bytes = caller.band({"run", "wide-two/bytes", "--skills", caller.work("")});
  CHECK_STATUS(bytes, 1);
  CHECK_HAS(bytes.err, "the output of the script is not UTF-8 text");
}
