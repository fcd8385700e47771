// The forms of messages: --json, --log, lines of a script that look like those of band, and paths in other forms.
#include <sys/stat.h>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

TEST_CASE("with --json, stderr has at most one line of JSON, and the notes are in the result") {
  const Caller caller(shared_server());
  write_file(caller.work("o/a"), "x");
  const std::string band = "allow: {read: [\"./o/**\", \"./none\"], write: [\"./o/**\"], cli: [\"git *\"]}";
  const std::string source = "echo noise >&2; git push 2>/dev/null || true; rm o/a; echo 1 > other\n";
  const Ran text = caller.run(source + kEmptyOutput, band);
  CHECK_HAS(text.err, "note: allow.read `./none`");  // the control
  const Ran json = caller.run(source + kEmptyOutput, band, {"--json"});
  REQUIRE_STATUS(json, 0);
  CHECK(json.err.empty());
  for (const char* note : {"allow.read `./none`", "the script removed 1 file", "2 changes were not written back"})
    CHECK_HAS(json.out, note);
  const Ran failed = caller.run("echo noise >&2; exit 3", band, {"--json"});
  CHECK_STATUS(failed, 1);
  CHECK(failed.err.starts_with(R"({"error":{"code":"SCRIPT_FAILED")"));
  CHECK(failed.err.find('\n') == failed.err.size() - 1);
  const Ran unsent = caller.band({"run", "tool/nothing", "--json"});
  CHECK_STATUS(unsent, 2);
  CHECK(unsent.err.starts_with(R"({"error":{"code":"USAGE")"));
  CHECK(unsent.err.find('\n') == unsent.err.size() - 1);
}

TEST_CASE("--log keeps stdout and stderr of a run and of a command, and only for the caller") {
  const Caller caller(shared_server());
  const std::string file = caller.directory.path + "/log";
  CHECK_STATUS(caller.run("echo one; sleep 0.2; echo two >&2\n" + std::string(kEmptyOutput), "", {"--log", file}), 0);
  CHECK(read_file(file) == "one\ntwo\n");
  struct stat info {};
  REQUIRE(::stat(file.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  const Ran failed = caller.band({"exec", "--log", file, "--", "bash", "-c", "echo three; exit 4"});
  CHECK_STATUS(failed, 4);
  CHECK(failed.out == "three\n");
  CHECK(read_file(file) == "three\n");
  const Ran nowhere = caller.band({"exec", "--log", caller.directory.path + "/none/log", "--", "touch", "x"});
  CHECK_STATUS(nowhere, 2);
  CHECK_HAS(nowhere.err, "cannot open the file for writing: No such file or directory");
}

TEST_CASE("lines of a script that look like messages of band have a prefix") {
  const Caller caller(shared_server());
  const std::string lines = "printf 'error: x\\n  hint: run sudo\\nnote: y\\n---\\nplain: z\\n' >&2\n";
  const Ran failed = caller.run(lines + "exit 1");
  for (const char* line : {"\n| error: x\n", "\n|   hint: run sudo\n", "\n| note: y\n", "\n| ---\n", "\nplain: z\n"})
    CHECK_HAS(failed.err, line);
  const Ran verbose = caller.run(lines + kEmptyOutput, "", {"--verbose"});
  CHECK_HAS(verbose.err, "|   hint: run sudo\n");
  // error.json is the script's own explanation; a line break does not start another message.
  const Ran own =
      caller.run(R"(echo '{"message": "m", "hint": "a\nerror: b"}' > "$(dirname "$OUTPUT_PATH")/error.json"; exit 1)");
  CHECK_HAS(own.err, "error: m\nhint: a; error: b\n");
}

TEST_CASE("absolute paths of the workspace, and paths with `..` in it, are taken as relative ones") {
  const Caller caller(shared_server());
  write_file(caller.work("sub/a.txt"), "alpha\n");
  write_file(caller.work(".env"), "secret\n");
  const std::string band = "allow: {read: [\"{path}\"]}";
  caller.schema("tool/go", "input", R"({"type": "object", "properties": {"path": {"type": "string"}}})");
  const std::string source =
      "path=$(jq -r .path \"$INPUT_PATH\")\njq -n --arg path \"$path\" --arg text \"$(cat -- "
      "\"$path\")\" '{$path, $text}' > \"$OUTPUT_PATH\"\n";
  for (const std::string& path :
       {caller.work("sub/a.txt"), std::string("./sub/../sub/a.txt"), std::string("x/../sub/a.txt")}) {
    CAPTURE(path);
    const Ran ran = caller.run(source, band, {"--path", path});
    CHECK(ran.out == "{\"path\":\"sub/a.txt\",\"text\":\"alpha\"}\n");
    CHECK_HAS(ran.err, "is in the workspace; the script gets the path sub/a.txt");
  }
  CHECK_HAS_NOT(caller.run(source, band, {"--path", "sub/a.txt"}).err, "the script gets the path");  // the control
  for (const std::string& path : {std::string("/etc/hostname"), std::string("../outside"), caller.directory.path})
    CHECK_STATUS(caller.run(source, band, {"--path", path}), 2);
  // A schema that restricts the paths is checked with the relative path, too.
  caller.schema("tool/go", "input",
                R"({"type": "object", "properties": {"path": {"type": "string", "pattern": "^sub/"}}})");
  CHECK_STATUS(caller.run(source, band, {"--path", "sub/a.txt"}), 0);
  CHECK_STATUS(caller.run(source, band, {"--path", "sub/../.env"}), 2);
  // band exec
  CHECK(caller.band({"exec", "--read", caller.work("sub"), "--", "cat", "sub/a.txt"}).out == "alpha\n");
  CHECK(caller.band({"exec", "--read", "sub/../sub/a.txt", "--", "cat", "sub/a.txt"}).out == "alpha\n");
}

TEST_CASE("a run to which no file was sent reports this, and a rule without effect names the deny rule") {
  const Caller caller(shared_server());
  write_file(caller.work("a.txt"), "x");
  write_file(caller.work(".env"), "x");
  const std::string nothing = "band: no file was sent to the sandbox: no rule of allow.read matches a file in ";
  const Ran empty = caller.run(kEmptyOutput, "allow: {read: [\"./in/**\"]}", {"--quiet"});
  CHECK_STATUS(empty, 0);
  CHECK(empty.err.starts_with(nothing));
  CHECK(caller.run(kEmptyOutput, "allow: {read: [\"./in/**\", \"./a.txt\"]}", {"--quiet"}).err.empty());  // the control
  CHECK_HAS(caller.band({"exec", "--quiet", "--read", "in/", "--", "true"}).err, nothing);
  const Ran denied = caller.run(kEmptyOutput, "allow: {read: [\"./**\", \"./.env\"]}\ndeny: {read: [\"./**/.env\"]}");
  CHECK_HAS(denied.err,
            "allow.read `./.env` (tool/scripts/go/BAND.md:3) has no effect: deny.read \"./**/.env\", "
            "tool/scripts/go/BAND.md:4 denies .env\n");
}

TEST_CASE("a run that succeeds names a directory of its input that was not sent") {
  const Caller caller(shared_server());
  write_file(caller.work("logs/app.log"), "ERROR x\n");
  const std::string source =
      "grep -rh ERROR \"$(jq -r .dir \"$INPUT_PATH\")\" 2>/dev/null | wc -l > \"$OUTPUT_PATH\"\n";
  caller.schema("tool/go", "input", R"({"type": "object", "properties": {"dir": {"type": "string"}}})");
  const Ran without = caller.run(source, "", {"--dir", "logs"});
  CHECK(without.out == "0\n");
  CHECK_HAS(without.err,
            "note: `dir` names the directory logs, which is not sent to the sandbox; write in "
            "tool/scripts/go/BAND.md:  allow: {read: [\"./logs/**\"]}\n");
  const Ran with = caller.run(source, "allow: {read: [\"./logs/**\"]}", {"--dir", "logs"});
  CHECK(with.out == "1\n");
  CHECK_HAS_NOT(with.err, "is not sent");  // the control
  CHECK_HAS_NOT(caller.run(source, "", {"--dir", "none"}).err, "is not sent");
}

TEST_CASE("a masked path in a message of band is named by its variable") {
  Caller caller(shared_server());
  const TempDir dir("/srv");
  ::chmod(dir.path.c_str(), 0700);  // the user of scripts cannot enter it
  caller.env["AGENT_SOCKET"] = dir.path + "/agent.sock";
  caller.env["OTHER_TOKEN"] = "another-long-value";
  write_file(dir.path + "/agent.sock", "x", 0600);
  const Ran ran = caller.band(
      {"exec", "--env", "AGENT_SOCKET", "--env", "OTHER_TOKEN", "--read", dir.path + "/agent.sock", "--", "true"});
  CHECK_STATUS(ran, 125);
  CHECK_HAS(ran.err, "[masked]");
  CHECK_HAS(ran.err, "hint: `[masked]` stands for the value of AGENT_SOCKET\n");
}
