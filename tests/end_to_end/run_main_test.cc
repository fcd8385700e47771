// The main job: a script of a skill runs, with input from the command line, and its result is printed.
#include <map>
#include <sstream>

#include "schemas/core/json.h"
#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

// Returns a text of a few megabytes.
std::string book() {
  const std::string licence = read_file("/usr/share/common-licenses/GPL-3");
  REQUIRE(licence.size() > 30'000);
  std::string text;
  for (int i = 0; i < 90; ++i) text += licence;
  return text + "Gr\u00fc\u00dfe aus \u6771\u4eac, 'quoted' and don't\n";
}

std::string number_behind(const std::string& text, const std::string& key) {
  const std::size_t at = text.find("\"" + key + "\":");
  if (at == std::string::npos) return "no " + key;
  const std::size_t from = text.find_first_not_of(' ', at + key.size() + 3);
  return text.substr(from, text.find_first_not_of("0123456789", from) - from);
}

std::string wc(const std::string& option, const std::string& file) {
  const std::string text = Running({"/usr/bin/wc", option, file}, {{"LC_ALL", "C.UTF-8"}}, "/").wait().out;
  return text.substr(0, text.find(' '));
}

// The most frequent words of a file, in the form of text/wordcount.
std::string most_frequent(const std::string& file, int most) {
  const std::string count =
      "tr -c \"A-Za-z\\200-\\377'\" '\\n' < \"$1\" | tr A-Z a-z | sed \"s/^'*//; s/'*$//\" | grep -a . | sort | uniq "
      "-c |"
      "sort -k1,1nr -k2,2 | head -n \"$2\" | awk '{ printf \"%s{\\\"word\\\":\\\"%s\\\",\\\"count\\\":%d}\", s, $2, "
      "$1; s = \",\" }'";
  return Running({"/usr/bin/bash", "-c", count, "bash", file, std::to_string(most)},
                 {{"LC_ALL", "C"}, {"PATH", "/usr/bin:/bin"}}, "/")
      .wait()
      .out;
}

using Exits = std::map<std::string, int>;

// "  124 TIMEOUT  about"
Exits exits_of_help(const std::string& text) {
  Exits exits;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream row(line);
    int number = 0;
    std::string name;
    if (row >> number >> name && number != 0 && std::isupper(static_cast<unsigned char>(name[0])) != 0)
      exits[name] = number;  // 125 has no name
  }
  return exits;
}

// "| 9 | SERVER_BUSY, OTHER | about |" under its heading
Exits exits_of_readme(const std::string& text) {
  const std::size_t from = text.find("\n## Exit codes\n"), to = text.find("\n## ", from + 1);
  REQUIRE(from != std::string::npos);
  Exits exits;
  std::istringstream lines(text.substr(from, to - from));
  for (std::string line; std::getline(lines, line);) {
    if (line.size() < 3 || std::isdigit(static_cast<unsigned char>(line[2])) == 0) continue;
    const std::size_t names = line.find('|', 2) + 1;
    std::istringstream row(line.substr(names, line.find('|', names) - names));
    for (std::string name; row >> name;) {
      if (name.back() == ',') name.pop_back();
      exits[name] = std::stoi(line.substr(2));
    }
  }
  return exits;
}

constexpr const char* kEcho = "cat \"$INPUT_PATH\" > \"$OUTPUT_PATH\"";

}  // namespace

TEST_CASE("hello/greet greets") {
  const Ran ran = Caller(shared_server()).band({"run", "hello/greet", "--name", "World"});
  CHECK_STATUS(ran, 0);
  CHECK_HAS(ran.out, "Hello, World!");
}

TEST_CASE("text/wordcount counts a book of megabytes like wc") {
  Caller caller(shared_server());
  write_file(caller.work("book.txt"), book());
  const Ran ran = caller.band({"run", "text/wordcount", "--path", "./book.txt", "--top", "7", "--json"});
  REQUIRE_STATUS(ran, 0);
  CHECK(number_behind(ran.out, "lines") == wc("-l", caller.work("book.txt")));
  CHECK(number_behind(ran.out, "words") == wc("-w", caller.work("book.txt")));
  CHECK(number_behind(ran.out, "bytes") == wc("-c", caller.work("book.txt")));
  CHECK(number_behind(ran.out, "characters") == wc("-m", caller.work("book.txt")));
  CHECK(number_behind(ran.out, "characters") != number_behind(ran.out, "bytes"));
  CHECK(std::stol(number_behind(ran.out, "bytes")) > 3'000'000);
  const std::string top = most_frequent(caller.work("book.txt"), 7);
  CHECK_HAS(top, "\"word\":\"the\"");
  CHECK_HAS(ran.out, "\"top\":[" + top + "]");
}

TEST_CASE("text/split writes its parts into the caller's ./out, and they are the whole text") {
  Caller caller(shared_server());
  const std::string text = read_file("/usr/share/common-licenses/GPL-3");
  write_file(caller.work("gpl.txt"), text);
  const Ran ran = caller.band({"run", "text/split", "--path", "gpl.txt", "--lines", "300"});
  REQUIRE_STATUS(ran, 0);
  CHECK_HAS(ran.err, "wrote 3 files");
  std::string parts;
  for (const char* part : {"1", "2", "3"}) parts += read_file(caller.work("out/gpl-000") + part + ".txt");
  CHECK(parts == text);
}

TEST_CASE("input comes as JSON, from a file, or from standard input") {
  Caller caller(shared_server());
  write_file(caller.work("in.json"), R"({"name":"File"})");
  CHECK_HAS(caller.band({"run", "hello/greet", "--input", R"({"name":"Json"})"}).out, "Hello, Json!");
  CHECK_HAS(caller.band({"run", "hello/greet", "--input", "@in.json"}).out, "Hello, File!");
  CHECK_HAS(caller.band({"run", "hello/greet", "--input", "-"}, R"({"name":"Stdin"})").out, "Hello, Stdin!");
}

TEST_CASE("parameters are converted by the schema: --flag=value, numbers, booleans, repeated lists") {
  Caller caller(shared_server());
  caller.script("tool/echo", kEcho);
  caller.schema("tool/echo", "input", R"({"type":"object","additionalProperties":false,"properties":{
    "name":{"type":"string"},"count":{"type":"integer"},"deep":{"type":"boolean"},
    "tags":{"type":"array","items":{"type":"string"}},"left":{"type":"string","default":"out"}}})");
  const Ran ran = caller.band(
      {"run", "tool/echo", "--name=World", "--count", "9007199254740993", "--deep", "--tags", "a", "--tags=b"});
  REQUIRE_STATUS(ran, 0);
  CHECK_HAS(ran.out, R"("name":"World")");
  CHECK_HAS(ran.out, R"("count":9007199254740993)");
  CHECK_HAS(ran.out, R"("deep":true)");
  CHECK_HAS(ran.out, R"("tags":["a","b"])");
  CHECK_HAS(ran.out, R"("left":"out")");
}

TEST_CASE("run --help shows a script's parameters, without a server") {
  const Ran ran = Caller().band({"run", "text/split", "--help"});
  CHECK_STATUS(ran, 0);
  CHECK_HAS(ran.out, "--path");
  CHECK_HAS(ran.out, "lines in each part");
}

TEST_CASE("--json prints data, metrics and ledger") {
  Caller caller(shared_server());
  write_file(caller.work("a.txt"), "one\ntwo\n");
  const Ran ran = caller.band({"run", "text/split", "--path", "a.txt", "--json"});
  REQUIRE_STATUS(ran, 0);
  for (const char* part : {R"("data":)", R"("metrics":)", R"("ledger":)", R"("runMs":)", "wrote out/a-0001.txt"})
    CHECK_HAS(ran.out, part);
}

TEST_CASE("a script gets its input, its configuration and its name, and runs in the workspace copy") {
  Caller caller(shared_server());
  write_file(caller.work("a.txt"), "here");
  const Ran ran = caller.run(
      "jq -n --arg pwd \"$(cat a.txt)\" --arg script \"$BAND_SCRIPT\" --arg who \"$(id -un)\" "
      "--slurpfile config \"$CONFIG_PATH\" '{$pwd,$script,$who,$config}' > \"$OUTPUT_PATH\"",
      "allow: {read: [\"./*.txt\"]}\ntool: {perPage: 50}");
  REQUIRE_STATUS(ran, 0);
  for (const char* part : {R"("pwd":"here")", R"("script":"tool/go")", R"("who":"band-runner")", R"([{"perPage":50}])"})
    CHECK_HAS(ran.out, part);
}

TEST_CASE("--dry-run shows rules and files, and needs no server because it sends nothing") {
  Caller caller;  // no target is set up
  write_file(caller.work("a.txt"), "one\n");
  const Ran dry = caller.band({"run", "text/split", "--path", "a.txt", "--dry-run"});
  CHECK_STATUS(dry, 0);
  CHECK_HAS(dry.out, "./out/*.txt");
  CHECK_HAS(dry.out, "a.txt");
  CHECK_STATUS(caller.band({"run", "text/split", "--path", "a.txt"}), 8);  // the control: it would have to send
  CHECK(!exists(caller.work("out")));
}

TEST_CASE("list shows the skills, status the server, its layers and its free slots") {
  Caller caller(shared_server());
  caller.script("tool/go", kEmptyOutput);
  const Ran list = caller.band({"list"});
  CHECK_STATUS(list, 0);
  for (const char* part : {"hello/greet", "text/wordcount", "text/split", "tool/go"}) CHECK_HAS(list.out, part);
  const Ran status = caller.band({"status"}), json = caller.band({"status", "--json"});
  CHECK_STATUS(status, 0);
  for (const char* part : {"landlock", "seccomp", "firewall"}) CHECK_HAS(status.out, part);
  for (const char* part : {R"("version":)", R"("total":4)", R"("free":4)", R"("name":"cgroup")"})
    CHECK_HAS(json.out, part);
}

TEST_CASE("list has a description for each script: its own, that of its schema, or the skill's") {
  Caller caller;
  caller.script("tool/own", kEmptyOutput, "description: Does its own");
  caller.script("tool/schema", kEmptyOutput);
  caller.schema("tool/schema", "input", R"({"title": "Does it by the schema"})");
  caller.script("tool/none", kEmptyOutput);
  const Ran list = caller.band({"list"}), json = caller.band({"list", "--json"});
  CHECK_HAS(list.out, "  tool/own                  Does its own\n");
  CHECK_HAS(list.out, "  tool/schema               Does it by the schema\n");
  CHECK_HAS(list.out, "  tool/none                 of a test\n");
  CHECK_HAS(json.out, R"({"script":"tool/none","description":"of a test","valid":true})");
  for (const char* line : {"  github/file               Reads one file", "  hello/greet               Greet a person\n",
                           "  text/wordcount            Count lines"})
    CHECK_HAS(list.out, line);
  CHECK_HAS_NOT(json.out, R"("description":"")");
  CHECK_HAS_NOT(json.out, "no description");
}

TEST_CASE("a BAND_SKILLS without skills is a warning with its path, not an error; --quiet prints nothing") {
  Caller caller(shared_server());
  const std::string gone = caller.directory.path + "/gone";
  caller.env["BAND_SKILLS"] = gone;
  for (const Words& words : {Words{"list"}, Words{"run", "hello/greet", "--name", "World"}}) {
    const Ran ran = caller.band(words);
    CHECK_STATUS(ran, 0);
    CHECK(ran.err == "warning: BAND_SKILLS: " + gone + " does not exist\n");
    Words quiet = words;
    quiet.push_back("--quiet");
    CHECK(caller.band(quiet).err == "");
  }
}

TEST_CASE("validate passes the shipped skills") {
  const Caller caller;
  const Ran ran = caller.band({"validate", BAND_BIN_DIR "/../share/band/skills"});
  CHECK_STATUS(ran, 0);
  CHECK_HAS(ran.out, "ok:");
}

TEST_CASE("validate reports all errors of a skill in one run, each with its place") {
  Caller caller;
  caller.script("tool/go", kEmptyOutput, "surprise: 1\nallow: {read: [\"../up\"]}\nlimit: {maxRuntimeMs: soon}");
  const Ran ran = caller.band({"validate", caller.skills() + "/tool"});
  CHECK_STATUS(ran, 2);
  CHECK_HAS(ran.err, "scripts/go/BAND.md:3:1:");
  CHECK_HAS(ran.err, "scripts/go/BAND.md:4:");
  CHECK_HAS(ran.err, "scripts/go/BAND.md:5:");
  CHECK_HAS(ran.err, "3 errors");
}

TEST_CASE("validate reports syntax errors of bash in addition to errors of the band") {
  Caller caller;
  caller.script("tool/go", "set -eu\nif true; then\n  touch ran\nfi\ndone\n", "surprise: 1");
  const Ran ran = caller.band({"validate", caller.skills() + "/tool"});
  CHECK_STATUS(ran, 2);
  CHECK_HAS(ran.err, "scripts/go/BAND.md:3:1:");
  CHECK_HAS(ran.err, "tool/scripts/go/run.sh:5: syntax error near unexpected token `done'");
  CHECK_HAS(ran.err, "2 errors");
  CHECK_HAS(caller.band({"validate", caller.skills() + "/tool", "--json"}).out, R"("line":5)");
  CHECK(!exists(caller.work("ran")));
}

TEST_CASE("validate notes a rule that restricts less than it appears to, and passes it") {
  Caller caller;
  caller.script("tool/go", kEmptyOutput, "allow: {cli: [\"gh issue *\", \"python3 -m json.tool\"]}");
  const Ran ran = caller.band({"validate", caller.skills() + "/tool"});
  CHECK_STATUS(ran, 0);
  CHECK_HAS(ran.err, "note: tool/scripts/go/BAND.md:3: cli \"python3 -m json.tool\" restricts less than it appears to");
  CHECK(ran.err.find("gh") == std::string::npos);
  CHECK_HAS(caller.band({"validate", caller.skills() + "/tool", "--json"}).out, "\"notes\":[{");
}

TEST_CASE("validate notes a schema without a script, and suggests a similar name") {
  Caller caller;
  caller.script("tool/report", kEmptyOutput);
  caller.script("tool/other", kEmptyOutput, "contract: {input: ../../schemas/input/shared.json}");
  for (const char* name : {"tool/report", "tool/reports", "tool/shared"}) caller.schema(name, "input", "{}");
  const Ran ran = caller.band({"validate", caller.skills() + "/tool"});
  CHECK_STATUS(ran, 0);
  CHECK_HAS(ran.err, "note: tool/schemas/input/reports.json: no script is called `reports`; did you mean `report`?");
  for (const char* used : {"`report`;", "`shared`"}) CHECK_HAS_NOT(ran.err, std::string("no script is called ") + used);
}

TEST_CASE("for an unknown skill or script the error suggests similar names") {
  const Caller caller;
  const Ran skill = caller.band({"run", "helo/greet"}), script = caller.band({"run", "text/wordcont"});
  CHECK_STATUS(skill, 2);
  CHECK_HAS(skill.err, "hello");
  CHECK_STATUS(script, 2);
  CHECK_HAS(script.err, "text/wordcount");
}

TEST_CASE("for an invalid input the error has pointer, rule and type, and nothing runs") {
  const Ran ran = Caller(shared_server()).band({"run", "hello/greet", "--input", R"({"name": 5})"});
  CHECK_STATUS(ran, 2);
  CHECK_HAS(ran.err, "/name");
  CHECK_HAS(ran.err, "`type`");
  CHECK_HAS(ran.err, "integer");
}

TEST_CASE("an output that does not match the schema is not a result") {
  Caller caller(shared_server());
  caller.schema("tool/go", "output", R"({"type":"object","required":["count"]})");
  const Ran ran = caller.run(kEmptyOutput);
  CHECK_STATUS(ran, 5);
  CHECK_HAS(ran.err, "`required`");
  CHECK(ran.out.empty());
}

TEST_CASE("band help exit-codes and the README have the same codes with the same numbers") {
  const Exits help = exits_of_help(Caller().band({"help", "exit-codes"}).out);
  CHECK(help.size() == 21);
  CHECK(help.at("TIMEOUT") == 124);  // the control: the rows are read
  CHECK(exits_of_readme(read_file(BAND_SOURCE_DIR "/README.md")) == help);
}
