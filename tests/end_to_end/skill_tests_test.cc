// `band test`: the cases of a skill's tests/, run on a real server.
#include <filesystem>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

namespace fs = std::filesystem;

// With a separate directory for temporary files, to detect leftovers.
class Author : public Caller {
 public:
  explicit Author(const Server& server = shared_server()) : Caller(server) {
    fs::create_directories(temporary());
    env["TMPDIR"] = temporary();
  }
  std::string temporary() const { return directory.path + "/tmp"; }
  bool nothing_left() const { return fs::is_empty(temporary()); }

  void tests(const std::string& file, const std::string& text) const {
    write_file(skills() + "/tool/tests/" + file, text);
  }
  // Runs one case of tool/go with these lines.
  Ran test_case(const std::string& lines, const Words& flags = {}) const {
    tests("go.yaml", "script: go\ncases:\n  - name: the case\n" + lines);
    Words words = {"test", "tool"};
    words.insert(words.end(), flags.begin(), flags.end());
    return band(words);
  }
};

// Returns attributes and texts, one a line, from an XML parser that rejects malformed documents.
std::string read_xml(const Caller& caller, const std::string& file) {
  const std::string program =
      "import sys, xml.etree.ElementTree as E\n"
      "for e in E.parse(sys.argv[1]).iter(): print(e.tag, sorted(e.attrib.items()), repr(e.text))\n";
  const Ran ran = Running({"/usr/bin/python3", "-c", program, file}, caller.env, caller.work("")).wait();
  CHECK_STATUS(ran, 0);
  return ran.out;
}

const std::string kEcho = "jq -c '{got: .}' \"$INPUT_PATH\" > \"$OUTPUT_PATH\"\n";

}  // namespace

TEST_CASE("the tests of the example skills pass") {
  Author caller;
  caller.env.erase("BAND_SKILLS");
  for (const auto& [skill, count] :
       {std::pair("hello", "4 passed"), std::pair("text", "5 passed"), std::pair("repo", "3 passed")}) {
    const Ran ran = caller.band({"test", skill});
    CHECK_STATUS(ran, 0);
    CHECK_HAS(ran.out, std::string(count) + ", 0 failed in ");
    CHECK(ran.err.empty());
  }
  const Ran by_path = caller.band({"test", std::string(BAND_SOURCE_DIR) + "/skills/hello"});
  CHECK_STATUS(by_path, 0);
  CHECK_HAS(by_path.out, "4 passed, 0 failed in ");
  CHECK(caller.nothing_left());
}

TEST_CASE("a case passes input, parameters, configuration, variables, standard input and a workspace to its script") {
  Author caller;
  caller.env["TOKEN"] = "caller's";
  write_file(caller.directory.path + "/config/env", "TOKEN=standing\n", 0600);
  write_file(caller.directory.path + "/config/skills/tool.yaml", "tool: {most: 1}\n");
  caller.script("tool/go", R"(
cat > in.txt
ls "$(dirname "$0")/../.." > skill.txt
jq -n -c --slurpfile input "$INPUT_PATH" --slurpfile config "$CONFIG_PATH" --rawfile in in.txt \
  '{input: $input[0], config: $config[0], $in, region: env.REGION, token: (env.TOKEN | length)}' > "$OUTPUT_PATH"
mkdir -p out && cp notes/* out/
echo done >&2
)",
                "allow: {read: [\"./notes/*\"], write: [\"./out/*\", \"./skill.txt\"]}\n"
                "env: {TOKEN: {description: a token}, REGION: {secret: false, default: eu}}\ntool: {most: 9, less: 2}");
  caller.schema("tool/go", "input", R"({"type": "object", "properties": {"n": {"type": "integer"}, "s": {}}})");
  caller.tests("files/notes/a.txt", "one\n");
  caller.tests("files/notes/b.bin", std::string("\0\xFF", 2));
  caller.tests("go.yaml", R"(script: go
cases:
  - name: everything
    input: {n: 1, s: "x"}
    arguments: ["--n", "5"]
    config: {most: 3}
    env: {TOKEN: "longer than eight"}
    stdin: "to be read"
    workspace: files
    expect:
      output:
        {input: {n: 5, s: x}, config: {most: 3, less: 2}, in: "to be read", region: eu, token: 17}
      stderr: done
      files:
        out/a.txt: "one\n"
        out/b.bin: {contains: "\0"}
        skill.txt: {contains: scripts}
        notes/a.txt: "one\n"
        nothing: {absent: true}
      noOtherFiles: true
  - name: tests/ is not in the sandbox
    env: {TOKEN: "x"}
    workspace: {notes/c: ""}
    expect: {files: {skill.txt: "lib\nscripts\n"}}
)");
  const Ran ran = caller.band({"test", "tool"});
  CHECK_STATUS(ran, 0);
  CHECK_HAS(ran.out, "2 passed, 0 failed");
  CHECK(caller.nothing_left());
  CHECK(fs::is_empty(caller.work("")));
  // The caller's variable is ignored.
  const Ran missing = caller.test_case("    workspace: {notes/c: \"\"}\n");
  CHECK_STATUS(missing, 1);
  CHECK_HAS(missing.out, "the run ended with SECRET_MISSING; expected: SUCCESS");
  CHECK_HAS(missing.out, "TOKEN: a token (tool/scripts/go/BAND.md:");
  CHECK_HAS(missing.out, "env: {NAME: \"value\"}");
}

TEST_CASE("a failed case is reported with its line, the expected and the actual result") {
  const Author caller;
  caller.schema("tool/go", "input", R"({"type": "object"})");
  struct Row {
    const char *source, *band, *lines, *says;
  };
  const Row rows[] = {
      {kEcho.c_str(), "", "    expect: {output: {got: {a: 1}}}\n", "the output differs at /got/a\n    - expected: 1\n"},
      {kEcho.c_str(), "", "    expect: {contains: {more: 1}}\n",
       "at /more\n    - expected: 1\n    + got:      nothing\n"},
      {kEcho.c_str(), "", "    expect: {code: SCRIPT_FAILED}\n", "ended with SUCCESS, exit status 0; expected: SCRIPT"},
      {"echo why >&2; exit 3\n", "", "", "ended with SCRIPT_FAILED, exit status 3; expected: SUCCESS"},
      {"echo why >&2; exit 3\n", "", "", "the end of stderr:\n      why\n"},
      {"exit 3\n", "", "    expect: {code: SCRIPT_FAILED, exit: 4}\n", "the exit status is 3; expected: 4"},
      {"printf '{\"message\": \"no\"}' > \"$ERROR_PATH\"; exit 1\n", "",
       "    expect: {code: SCRIPT_FAILED, message: yes}\n", "message does not contain \"yes\"\n    got:\n      no\n"},
      {"echo '{}' > \"$OUTPUT_PATH\"; frobnicate x || true\n", "", "", "not found: frobnicate x"},
      {"echo '{}' > \"$OUTPUT_PATH\"; git push || true\n", "allow: {cli: [\"git log *\"]}", "", "denied: git push"},
      {"echo '{}' > \"$OUTPUT_PATH\"\n", "", "    expect: {refused: git}\n", "nothing was refused\n"},
      {"echo '{}' > \"$OUTPUT_PATH\"; printf 'a\\nb\\n' > x\n", "allow: {write: [\"./x\"]}",
       "    expect: {files: {x: \"a\\nc\\n\"}}\n", "file x differs\n    @@ -1,2 +1,2 @@\n     a\n    -c\n    +b\n"},
      {"echo '{}' > \"$OUTPUT_PATH\"; echo > x\n", "allow: {write: [\"./x\"]}", "    expect: {noOtherFiles: true}\n",
       "files were written back that `files` does not list\n      x\n"},
      {"echo '{}' > \"$OUTPUT_PATH\"\n", "", "    expect: {files: {x: \"\"}}\n",
       "file x does not exist\n    no file was written back"},
      {"echo '{}' > \"$OUTPUT_PATH\"; printf '\\033[2J'\n", "", "    expect: {stdout: x}\n", "\\x1b[2J"},
      {"sleep 20\n", "limit: {maxRuntimeMs: 200ms}", "", "ended with TIMEOUT"},
      {kEcho.c_str(), "", "    arguments: [\"--nme\", \"x\"]\n", "the script has no parameter --nme"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.source);
    CAPTURE(row.lines);
    caller.script("tool/go", row.source, row.band);
    const Ran ran = caller.test_case(row.lines);
    CHECK_STATUS(ran, 1);
    CHECK_HAS(ran.out, "FAILED " + caller.skills() + "/tool/tests/go.yaml:3: the case (tool/go)\n");
    CHECK_HAS(ran.out, row.says);
    CHECK_HAS(ran.out, "0 passed, 1 failed in ");
  }
  // The control: a listed refusal does not fail the case.
  caller.script("tool/go", "echo '{}' > \"$OUTPUT_PATH\"; frobnicate x || true\n");
  CHECK_STATUS(caller.test_case("    expect: {refused: frobnicate}\n"), 0);
  CHECK(caller.nothing_left());
}

TEST_CASE("machine-readable reports are well-formed for any output of a script and any text in tests/") {
  const Author caller;
  caller.script("tool/go", "printf '\\001\\033]0;x\\007<&>\"]]>\\377' >&2; exit 1\n");
  caller.tests("a.yaml",
               "script: go\ncases:\n  - name: \"b <&> \\\"x\\\" \\u0001 \\uFFFE\"\n  - name: c\n    expect: "
               "{code: SCRIPT_FAILED}\n");
  caller.tests("b.yaml", "cases:\n  - name: d\n    script: go\n    expect: {code: SCRIPT_FAILED}\n");
  const std::string file = caller.work("report.xml");
  const Ran ran = caller.band({"test", "tool", "--junit", file, "--json"});
  CHECK_STATUS(ran, 1);
  CHECK_HAS(ran.out, R"("passed":2,"failed":1)");
  CHECK_HAS(ran.out, R"("file":")" + caller.skills() + R"(/tool/tests/b.yaml","line":2,"passed":true)");
  const std::string xml = read_xml(caller, file);
  CHECK_HAS(xml,
            "testsuites [('errors', '0'), ('failures', '1'), ('name', 'band test'), ('skipped', '0'), ('tests', '3')");
  CHECK_HAS(xml, "a.yaml'), ('skipped', '0'), ('tests', '2')");
  CHECK_HAS(xml, "('name', 'b <&> \"x\" \\\\x01 \uFFFD')");  // as Python prints the visible escape
  CHECK_HAS(xml, "<&>\"]]>");
  CHECK_HAS(xml, "('message', 'the run ended with SCRIPT_FAILED, exit status 1; expected: SUCCESS')");
  const Ran unwritable = caller.band({"test", "tool", "--junit", caller.work("none/report.xml")});
  CHECK_STATUS(unwritable, 2);
  CHECK_HAS(unwritable.err, "name a file in a directory that exists");
}

TEST_CASE("a report for CI belongs to this run, also when the run is aborted") {
  Author caller;
  caller.script("tool/go", kEcho);
  caller.tests("a.yaml", "script: go\ncases: [{name: a}]\n");
  const std::string file = caller.work("report.xml");
  REQUIRE_STATUS(caller.band({"test", "tool", "--junit", file}), 0);
  CHECK_HAS(read_xml(caller, file), "testsuites [('errors', '0'), ('failures', '0')");
  const auto is_error = [&](const Words& more, int status, const char* says) {
    Words words = {"test", "tool", "--junit", file};
    words.insert(words.end(), more.begin(), more.end());
    CHECK_STATUS(caller.band(words), status);
    const std::string xml = read_xml(caller, file);
    CHECK_HAS(xml, "testsuites [('errors', '1'), ('failures', '0')");
    CHECK_HAS(xml, says);
  };
  is_error({"--jobs", "0"}, 2, "--jobs 0");
  is_error({"--filter", "<&>\x01"}, 2, "no case has a name that contains \"<&>");
  caller.tests("c.yaml", "bad: \x01\n");
  is_error({}, 2, "tests/c.yaml:1");
  fs::remove(caller.skills() + "/tool/tests/c.yaml");
  caller.target("http://127.0.0.1:9", "band_01234567_" + std::string(64, 'a'));
  is_error({}, 8, "('type', 'SERVER_UNREACHABLE')");
}

TEST_CASE("a report that cannot be written is an error with a hint") {
  const Author caller;
  caller.script("tool/go", kEcho);
  caller.tests("a.yaml", "script: go\ncases: [{name: a}]\n");
  for (const Words& more : {Words{}, Words{"--filter", "xyz"}}) {
    Words words = {"test", "tool", "--junit", "/dev/full"};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = caller.band(words);
    CHECK_STATUS(ran, 2);
    CHECK_HAS(ran.err,
              "write --junit /dev/full: No space left on device\nhint: free space on its disk, or name a file");
  }
}

TEST_CASE("a run without tests fails, and prints an example") {
  const Author caller;
  caller.script("tool/go", kEcho);
  caller.schema("tool/go", "input",
                R"({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}})");
  const Ran none = caller.band({"test", "tool"});
  CHECK_STATUS(none, 2);
  CHECK_HAS(none.err, "tool has no tests");
  const std::string write = "write " + caller.skills() + "/tool/tests/go.yaml, for example:\n\n";
  CHECK_HAS(none.err, write);
  // The example is a valid file.
  caller.tests("go.yaml", none.err.substr(none.err.find(write) + write.size()));
  CHECK_STATUS(caller.band({"test", "tool"}), 0);
  CHECK_STATUS(caller.band({"test", "tool/go"}), 0);
  const Ran filtered = caller.band({"test", "tool", "--filter", "xyz"});
  CHECK_STATUS(filtered, 2);
  CHECK_HAS(filtered.err, "no case has a name that contains \"xyz\"");
  CHECK_STATUS(caller.band({"test", "tool", "--filter", "shows"}), 0);
  caller.script("tool/other", kEcho);
  CHECK_HAS(caller.band({"test", "tool/other"}).err, "/tool/tests/other.yaml");
  struct Row {
    Words words;
    const char* says;
  };
  for (const Row& row : {Row{{}, "band test SKILL, band test SKILL/SCRIPT, or band test DIR"},
                         Row{{"tol"}, "did you mean `tool`?"}, Row{{"tool/og"}, "did you mean `tool/go`?"},
                         Row{{"tool", "--jobs", "0"}, "--jobs 0 is not a whole number from 1 to 64"},
                         Row{{"tool", "--jobs", "100000"}, "--jobs 100000 is not a whole number from 1 to 64"},
                         Row{{"tool", "--jobs", "x"}, "--jobs x is not a whole number from 1 to 64"}}) {
    Words words = {"test"};
    words.insert(words.end(), row.words.begin(), row.words.end());
    const Ran ran = caller.band(words);
    CHECK_STATUS(ran, 2);
    CHECK_HAS(ran.err, row.says);
  }
}

TEST_CASE("an error in a file is reported with its place, before any run") {
  const Author caller;
  caller.script("tool/go", kEcho);
  const Ran ran = caller.test_case("    expct: {}\n  - name: two\n    env: {TOKN: x}\n");
  CHECK_STATUS(ran, 2);
  CHECK_HAS(ran.err, "/tool/tests/go.yaml:4:5: unknown key `expct` in cases[0]; did you mean `expect`?");
  CHECK_HAS(ran.err, "band test --help");
  caller.script("tool/go", kEcho, "env: {TOKEN: {required: false}}");
  const Ran variable = caller.test_case("    env: {TOKN: x}\n");
  CHECK_STATUS(variable, 2);
  CHECK_HAS(variable.err, "go.yaml:4: the band of tool/go does not declare the variable TOKN; did you mean `TOKEN`?");
  fs::create_symlink("/etc/passwd", caller.skills() + "/tool/tests/x.yaml");
  const Ran link = caller.test_case("");
  CHECK_STATUS(link, 2);
  CHECK_HAS(link.err, "x.yaml: is a link, and links are not followed");
  CHECK_HAS_NOT(link.err, "root:");
}

TEST_CASE("without a server there is one message") {
  Caller caller;
  caller.script("tool/go", kEcho);
  write_file(caller.skills() + "/tool/tests/go.yaml", "script: go\ncases: [{name: a}, {name: b}, {name: c}]\n");
  caller.target("http://127.0.0.1:9", "band_01234567_" + std::string(64, 'a'));
  const Ran ran = caller.band({"test", "tool"});
  CHECK_STATUS(ran, 8);
  CHECK(ran.out.empty());
  CHECK_HAS(ran.err, "cannot reach the server");
  CHECK(ran.err.find("error:") == ran.err.rfind("error:"));
}

TEST_CASE("cases run concurrently, and Ctrl-C ends all of them without leftovers" * beside_server()) {
  const Author caller;
  caller.script("tool/go", kHold + kEmptyOutput);
  caller.tests("go.yaml", "script: go\ncases: [{name: a}, {name: b}, {name: c}]\n");
  const std::string report = caller.directory.path + "/report.xml";
  Running run = caller.start({"test", "tool", "--jobs", "2", "--junit", report});
  REQUIRE(shared_server().held(2));
  CHECK_FALSE(caller.nothing_left());  // the control
  run.signal(SIGINT);
  const Ran ended = run.wait(10'000);
  CHECK_HAS(read_xml(caller, report), "('message', 'interrupted; the server ends the running cases')");
  CHECK_STATUS(ended, 130);
  CHECK_HAS(ended.err, "interrupted");
  CHECK(ended.out.empty());
  CHECK(caller.nothing_left());
  CHECK(within(10'000, [&] { return shared_server().idle(); }));
}

TEST_CASE("a server that stops ends all cases with one message" * beside_server()) {
  Server server("", "2");
  const Author caller(server);
  caller.script("tool/go", kHold + kEmptyOutput);
  caller.tests("go.yaml", "script: go\ncases: [{name: a}, {name: b}, {name: c}]\n");
  Running run = caller.start({"test", "tool", "--jobs", "2"});
  REQUIRE(server.held(2));
  server.stop();
  const Ran ended = run.wait(10'000);
  CHECK_STATUS(ended, 8);
  CHECK_HAS(ended.err, "(0 of 3 cases had ended)");
  CHECK(ended.err.find("error:") == ended.err.rfind("error:"));
  CHECK(ended.out.empty());
  CHECK(caller.nothing_left());
}

TEST_CASE("a request to a busy server is repeated" * beside_server()) {
  Server server("queue: {length: 1}\n", "1");
  const Author caller(server);
  caller.script("tool/go", std::string("sleep 0.3\n") + kEmptyOutput);  // one runs, one waits, two are refused
  caller.tests("go.yaml", "script: go\ncases: [{name: a}, {name: b}, {name: c}, {name: d}]\n");
  const Ran ran = caller.band({"test", "tool", "--jobs", "4"});
  CHECK_STATUS(ran, 0);
  CHECK_HAS(ran.out, "4 passed, 0 failed");
}
