// `band why`, `band show` and `band list SKILL`: their output, compared with real runs.
#include <vector>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

// The operator's ceiling for some of the tests. It replaces the defaults of read and write.
const std::string kCeiling =
    "ceiling:\n"
    "  allow: {cli: [\"git version\", \"git status\"]}\n"
    "  deny: {read: [/srv/band-why-closed], net: [closed.example]}\n"
    "gateway: {resolve: {a.example: \"127.0.0.1:1\", closed.example: \"127.0.0.1:1\"}}\n";

// Calls `band why`, then does the action in a run of the same band, and checks that both agree. Returns the answer.
Ran why(const Caller& caller, const std::string& band, const Words& question, bool allowed) {
  caller.script("tool/go", kEmptyOutput, band);
  Words words = {"why", "tool/go"};
  words.insert(words.end(), question.begin(), question.end());
  Ran answer = caller.band(words);
  CHECK_STATUS(answer, allowed ? 0 : 3);
  CHECK_HAS(answer.out, allowed ? "yes " : "no ");
  return answer;
}

// The exit code shows whether the command ran: 126 is denied, 127 not found.
Ran command(const Caller& caller, const std::string& band, const std::string& line, bool allowed) {
  Words question = {"--"};
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    question.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  Ran answer = why(caller, band, question, allowed);
  const Ran ran =
      caller.run(line + " > /dev/null 2>&1 < /dev/null; jq -n --argjson code $? '{$code}' > \"$OUTPUT_PATH\"", band);
  CHECK_STATUS(ran, 0);
  CHECK_MESSAGE((contains(ran.out, ":126") || contains(ran.out, ":127")) == !allowed, ran.text());
  return answer;
}

Ran reading(const Caller& caller, const std::string& band, const std::string& path, bool allowed) {
  Ran answer = why(caller, band, {"--read", path}, allowed);
  const Ran ran =
      caller.run("text=$(cat " + path + ") || true; jq -n --arg text \"$text\" '{$text}' > \"$OUTPUT_PATH\"", band);
  CHECK_STATUS(ran, 0);
  CHECK_MESSAGE(contains(ran.out, "secret of the test") == allowed, ran.text());
  return answer;
}

Ran writing(const Caller& caller, const std::string& band, const std::string& path, bool allowed) {
  Ran answer = why(caller, band, {"--write", path}, allowed);
  const Ran ran = caller.run("mkdir -p $(dirname " + path + "); echo x > " + path + "\n" + kEmptyOutput, band);
  CHECK_MESSAGE((ran.status == 0 && exists(caller.work(path))) == allowed, ran.text());
  return answer;
}

// No server listens at the addresses of these names: an allowed connection fails, others are refused.
Ran connecting(const Caller& caller, const std::string& band, const std::string& host, const std::string& port,
               bool allowed) {
  Ran answer = why(caller, band, {"--net", host + ":" + port}, allowed);
  caller.script("tool/go",
                "(exec 3<>/dev/tcp/" + host + "/" + port + ") 2> /dev/null || true\n" + std::string(kEmptyOutput),
                band);
  const Ran ran = caller.band({"run", "tool/go", "--explain"});
  CHECK_STATUS(ran, 0);
  CHECK_MESSAGE(contains(ran.err, host + ":" + port + " failed") == allowed, ran.text());
  CHECK_MESSAGE(contains(ran.err, "refused (") == !allowed, ran.text());
  return answer;
}

Server& server() {
  static SharedServer one(kCeiling);
  return one;
}

}  // namespace

TEST_CASE("the answer of why about a command line agrees with a run") {
  const Caller caller(server());
  const std::string band =
      "allow: {cli: [\"git version\", \"git log *\"]}\ndeny: {cli: [\"git version --build-options\", \"seq 3\"]}";
  CHECK_HAS(command(caller, band, "git version", true).out, "allow.cli \"git version\", tool/scripts/go/BAND.md:3");
  CHECK_HAS(command(caller, band, "git version --build-options", false).out,
            "deny.cli \"git version --build-options\"");
  const Ran status = command(caller, band, "git status", false);
  CHECK_HAS(status.out, "no rule of allow.cli matches");
  CHECK_HAS(status.out, "write in tool/scripts/go/BAND.md, to allow.cli (line 3):  \"git status\"");
  CHECK_HAS(status.out, "with the operator's ceiling of target local");
  command(caller, "allow: {cli: [\"git status\"]}", "git status", true);  // only with that line
  command(caller, band, "seq 2", true);
  command(caller, band, "seq 3", false);
  command(caller, band, "nosuchprogram", false);
  CHECK_HAS(command(caller, band, "git log", false).out, "`ceiling.allow.cli` in " + server().config());
}

TEST_CASE("the hint of a refused run has the line that why prints, and with that line the run continues") {
  const Caller caller(server());
  const std::string band = "allow: {cli: [\"git version\"], net: [b.example]}";
  const auto hint = [&](const std::string& source) {
    const Ran ran = caller.run("set -e\n" + source, band);
    CHECK_MESSAGE(ran.status != 0, ran.text());
    const std::size_t at = ran.err.find("hint: ");
    return at == std::string::npos ? ran.text() : ran.err.substr(at, ran.err.find('\n', at) - at);
  };
  const std::string in = "write in tool/scripts/go/BAND.md";
  CHECK_HAS(hint("git status --short"), in + ", to allow.cli (line 3):  \"git status --short\"");
  // A builtin of bash has no program, and no rule can declare it.
  const std::string own = hint("env cd / || timeout 3 ulimit");
  CHECK_HAS(own, "error: the script exited with 127");
  CHECK_HAS_NOT(own, "does not allow the command");
  CHECK_HAS_NOT(own, "write in");
  CHECK_HAS(
      hint("env cd / || timeout 3 gh"),
      "the band does not allow the command gh; write in tool/scripts/go/BAND.md, to allow.cli (line 3):  \"gh *\"");
  CHECK_HAS(hint("gh pr list"), in + ", to allow.cli (line 3):  \"gh pr list\"");
  CHECK_HAS(hint("(exec 3<>/dev/tcp/a.example/5432)"), in + ", to allow.net (line 3):  \"a.example\"");
  CHECK_HAS_NOT(hint("git version && false"), "write in");
  const Ran why = caller.band({"why", "tool/go", "--", "git", "status", "--short"});
  CHECK_HAS(why.out, in + ", to allow.cli (line 3):  \"git status --short\"\n");
  CHECK_HAS_NOT(caller.run("git status", "deny: {cli: [\"git status\"]}\nallow: {cli: [\"git *\"]}").err, "write in");
}

TEST_CASE("the answer of why about a file agrees with shipping, mounts and write-back") {
  const Caller caller(server());
  const std::string text = "secret of the test";
  for (const char* file : {"notes/a.md", "notes/.b.md", "private/c.md"}) write_file(caller.work(file), text);
  const std::string read = "allow: {read: [\"./**\"]}\ndeny: {read: [./private]}";
  reading(caller, read, "notes/a.md", true);
  CHECK_HAS(reading(caller, read, "notes/.b.md", false).out, "a wildcard matches no name that begins with a dot");
  CHECK_HAS(reading(caller, read, "private/c.md", false).out, "deny.read \"./private\"");
  reading(caller, "allow: {read: [\"./notes/.b.md\"]}", "notes/.b.md", true);  // the proposed line
  const std::string write = "allow: {write: [\"./out/**\", \"./.git/**\"]}";
  writing(caller, write, "out/x.txt", true);
  CHECK_HAS(writing(caller, write, "other/x.txt", false).out, "to allow.write (line 3):  \"./other/x.txt\"");
  CHECK_HAS(writing(caller, write, ".git/x", false).out, "is in a .git, which band never writes");
}

TEST_CASE("the answer of why about a path of the machine agrees with the mounts" * beside_server()) {
  const Caller caller(server());
  const TempDir open("/srv");
  write_file(open.path + "/a.txt", "secret of the test");
  write_file(open.path + "/b.csv", "secret of the test");
  const std::string band = "allow: {read: [\"" + open.path + "/*.txt\"]}";
  reading(caller, band, open.path + "/a.txt", true);
  reading(caller, band, open.path + "/b.csv", false);
  // A rule that the operator closes completely: no run can start.
  caller.script("tool/go", kEmptyOutput, "allow: {read: [/srv/band-why-closed/x], cli: [\"git version\"]}");
  const Ran why = caller.band({"why", "tool/go", "--", "git", "version"});
  CHECK_STATUS(why, 3);
  CHECK_HAS(why.out,
            "no run of tool/go can start: read `/srv/band-why-closed/x` (tool/scripts/go/BAND.md:3) is denied");
  CHECK_STATUS(caller.band({"run", "tool/go"}), 3);
  CHECK_STATUS(caller.band({"why", "tool/go", "--offline", "--", "git", "version"}), 0);
}

TEST_CASE("the answer of why about a host agrees with the gateway") {
  const Caller caller(server());
  const std::string band = "allow: {net: [\"a.example:5432\", \"*.example:6432\"]}";
  connecting(caller, band, "a.example", "5432", true);
  CHECK_HAS(connecting(caller, band, "a.example", "5433", false).out,
            "allow.net does not allow this port; write a.example:5433");
  CHECK_HAS(connecting(caller, band, "closed.example", "6432", false).out, "`ceiling.deny` in " + server().config());
  CHECK_HAS(connecting(caller, band, "other.test", "5432", false).out, "to allow.net (line 3):  \"other.test:5432\"");
}

TEST_CASE("a placeholder is evaluated with the input") {
  const Caller caller(server());
  write_file(caller.work("a.md"), "secret of the test");
  const std::string band = "allow: {read: [\"{path}\"]}";
  caller.script("tool/go", "cat a.md | jq -Rs '{text: .}' > \"$OUTPUT_PATH\"", band);
  caller.schema("tool/go", "input", R"({"type": "object", "properties": {"path": {"type": "string"}}})");
  const Ran depends = caller.band({"why", "tool/go", "--read", "a.md"});
  CHECK_STATUS(depends, 3);
  CHECK_HAS(depends.out, "depends read ./a.md");
  CHECK_STATUS(caller.band({"why", "tool/go", "--read", "a.md", "--input", R"({"path": "b.md"})"}), 3);
  const Ran allowed = caller.band({"why", "tool/go", "--read", "a.md", "--input", R"({"path": "a.md"})"});
  CHECK_STATUS(allowed, 0);
  CHECK_HAS(allowed.out, "allow.read \"./a.md\"");
  CHECK_STATUS(caller.band({"run", "tool/go", "--path", "a.md"}), 0);
  CHECK_STATUS(caller.band({"why", "tool/go", "--read", "a.md", "--input", R"({"path": 5})"}), 2);
}

TEST_CASE("without a server the answer is printed, with a note that the ceiling was not checked") {
  const Caller caller;
  caller.script("tool/go", kEmptyOutput, "allow: {cli: [\"git version\"], read: [\"./**\"]}");
  const Ran answer = caller.band({"why", "tool/go", "--read", "a", "--read", "b", "--", "git", "version"});
  CHECK_STATUS(answer, 0);
  CHECK_HAS(answer.out, "note: the operator's ceiling for target local-lima was not checked: ");
  CHECK_HAS(answer.out, "whether the target's machine has `git`");
  caller.target("http://127.0.0.1:1", "band_01234567_" + std::string(64, '7'));
  CHECK_HAS(caller.band({"why", "tool/go", "--read", "a"}).out, "ceiling for target local was not checked: ");
  const Ran json = caller.band({"why", "tool/go", "--json", "--offline", "--write", "x", "--", "git", "version"});
  CHECK_STATUS(json, 3);
  CHECK_HAS(json.out,
            R"("allowed":false,"input":null,"ceiling":{"known":false,"target":null,"why":"--offline was given"})");
  CHECK_HAS(json.out, R"("write":"allow: {write: [\"./x\"]}")");
  CHECK_HAS(json.out, R"("rule":{"pattern":"git version","origin":"tool/scripts/go/BAND.md:3"})");
  for (const Words& wrong : std::vector<Words>{{"why"},
                                               {"why", "tool/go"},
                                               {"why", "tool/nothing", "--read", "x"},
                                               {"why", "tool/go", "--"},
                                               {"why", "tool/go", "--read", "../x"},
                                               {"why", "tool/go", "--offline", "--target", "local", "--read", "x"}})
    CHECK_STATUS(caller.band(wrong), 2);
}

TEST_CASE("if no line opens only this action, why reports it with a remedy") {
  const Caller caller;
  caller.script("tool/go", kEmptyOutput);
  const auto answer = [&](Words question) {
    question.insert(question.begin(), {"why", "tool/go", "--offline"});
    const Ran ran = caller.band(question);
    CHECK_STATUS(ran, 3);
    return ran.out;
  };
  const std::string reason =
      "        no rule of allow.cli names `gh`; no rule can match only this line: it has bytes that are not UTF-8\n";
  const std::string line = "allow: {cli: [\"gh x *\"]}";
  CHECK_HAS(answer({"--", "gh", "x", "\xFF"}),
            reason + "        wider than requested: write in tool/scripts/go/BAND.md:  " + line + "\nnote:");
  CHECK_HAS(answer({"--", "gh", "\xFE", "\xFF"}), reason + "        pass the data in a file or on standard input\n");
  CHECK_HAS(answer({"--json", "--", "gh", "x", "\xFF"}), R"("write":null,"wider":"allow: {cli: [\"gh x *\"]}")");
  CHECK_HAS(
      answer({"--net", "x.y:53"}),
      "for every host\n        the name of a host that allow.net allows is resolved without a rule for port 53: ask");
}

TEST_CASE("show has each rule and limit with its line, and list SKILL has the parameters") {
  const Caller caller;
  caller.script("tool/go", kEmptyOutput,
                "allow: {cli: [\"git log *\"]}\nextends: ../../../base/BAND.md\nlimit: {maxRuntimeMs: 10s}\nenv: "
                "{REGION: {secret: false, default: eu}}");
  write_file(caller.skills() + "/base/BAND.md",
             "---\nband: base\nallow: {cli: [\"git *\"]}\nlimit: {maxFiles: 7}\n---\n");
  write_file(caller.skills() + "/tool/scripts/_lib/helper.sh", "true\n");
  caller.schema(
      "tool/go", "input",
      R"({"type": "object", "required": ["dryRun"], "properties": {"dryRun": {"type": "boolean", "description": "says \u001b[31m only"}}})");
  const Ran show = caller.band({"show", "tool/go"});
  CHECK_STATUS(show, 0);
  for (const char* part :
       {"git log *   (tool/scripts/go/BAND.md:3)", "git *   (base/BAND.md:3)",
        "base/BAND.md   (extends, tool/scripts/go/BAND.md:4)", "maxFiles         7       (base/BAND.md:4)",
        "maxRuntimeMs     10s     (tool/scripts/go/BAND.md:5)", "maxOpenFiles     1024    (default)",
        "REGION  plain, default \"eu\"", "input   (tool/schemas/input/go.json)", "--dry-run <boolean>  (required)",
        "helper.sh", "net: nothing"})
    CHECK_HAS(show.out, part);
  CHECK_HAS_NOT(show.out, "\x1b[31m");
  CHECK_HAS(caller.band({"show", "tool/go", "--json"}).out, R"("maxFiles":{"value":7,"origin":"base/BAND.md:4"})");
  caller.script("tool/broken", kEmptyOutput, "allow: {cli: [\"git [\"]}");
  const Ran skill = caller.band({"show", "tool"});
  CHECK_STATUS(skill, 0);
  CHECK_HAS(skill.out, "    cli   git log *\n    env   REGION\n");
  CHECK_HAS(skill.out, "tool/broken  (broken: band validate ");
  CHECK_STATUS(caller.band({"show", "tool/broken"}), 2);
  const Ran list = caller.band({"list", "tool"});
  CHECK_STATUS(list, 0);
  CHECK_HAS(list.out, "      --dry-run <boolean>  (required)  says");
  CHECK_HAS(caller.band({"list", "tool", "--json"}).out,
            R"("parameters":[{"name":"dryRun","flag":"--dry-run","type":"boolean","required":true)");
  const Ran unknown = caller.band({"list", "tol"});
  CHECK_STATUS(unknown, 2);
  CHECK_HAS(unknown.err, "tool");
  CHECK_STATUS(caller.band({"show", "tol"}), 2);
}
