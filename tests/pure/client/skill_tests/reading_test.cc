// Parsing of files of tests/, and the errors for invalid ones.
#include "client/skill_tests/reading.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include "client/commands/commands.h"
#include "schemas/core/json.h"

using namespace band;
using namespace band::client;

namespace {

const std::vector<std::string> kScripts{"go", "greet"};

struct Read {
  std::vector<SkillCase> cases;
  std::vector<Diagnostic> errors;
  std::string text() const {
    std::string all;
    for (const Diagnostic& error : errors) all += error.text() + "\n";
    return all;
  }
};

Read read(const std::string& text) {
  Read read;
  read.cases = read_cases(text, "t.yaml", kScripts, read.errors);
  return read;
}

// Parses one case of `greet` with these lines.
Read read_case(const std::string& lines) { return read("script: greet\ncases:\n  - name: n\n" + lines); }

}  // namespace

TEST_CASE("a case with a name alone runs its script without input and expects success") {
  const Read got = read("script: greet\ncases:\n  - name: works\n");
  REQUIRE(got.cases.size() == 1);
  const SkillCase& one = got.cases[0];
  CHECK(one.name == "works");
  CHECK(one.script == "greet");
  CHECK(one.place() == "t.yaml:3");
  CHECK_FALSE(one.input);
  CHECK_FALSE(one.expect.code);
  CHECK(one.configuration->is_null());
}

TEST_CASE("every key of a file is in its case") {
  const Read got = read(R"(script: greet
cases:
  - name: all
    script: go
    input: {n: 1.50}
    arguments: ["--name", "-5"]
    config: {a: 1}
    env: {TOKEN: "x"}
    stdin: "in"
    workspace:
      a/b.txt: |
        one
      c.bin: {base64: "AAEC"}
    expect:
      contains: [1]
      stdout: x
      stderr: [y, z]
      refused: [r]
      files:
        out/a: ""
        out/b: {contains: [p, q]}
        out/c: {absent: true}
      noOtherFiles: true
  - name: fails
    expect: {code: SCRIPT_FAILED, exit: 3, message: m, hint: [h]}
  - name: elsewhere
    workspace: files/small/
)");
  REQUIRE_MESSAGE(got.cases.size() == 3, got.text());
  const SkillCase& one = got.cases[0];
  CHECK(one.script == "go");
  CHECK(dump_json(*one.input) == R"({"n":1.5})");
  CHECK(one.arguments == std::vector<std::string>{"--name", "-5"});
  CHECK(dump_json(one.configuration) == R"({"a":1})");
  CHECK(one.variables.at("TOKEN") == "x");
  CHECK(one.variable_lines.at("TOKEN") == 8);
  CHECK(one.standard_input == "in");
  REQUIRE(one.workspace->size() == 2);
  CHECK((*one.workspace)[0].content == "one\n");
  CHECK((*one.workspace)[1].content == std::string("\0\1\2", 3));
  CHECK(dump_json(*one.expect.contains) == "[1]");
  CHECK(one.expect.stderr_log == std::vector<std::string>{"y", "z"});
  CHECK(one.expect.refused == std::vector<std::string>{"r"});
  REQUIRE(one.expect.files.size() == 3);
  CHECK(one.expect.files[0].want == ExpectedFile::Want::Content);
  CHECK(one.expect.files[1].texts == std::vector<std::string>{"p", "q"});
  CHECK(one.expect.files[2].want == ExpectedFile::Want::Absent);
  CHECK(one.expect.no_other_files);
  CHECK(got.cases[1].expect.code == Code::ScriptFailed);
  CHECK(got.cases[1].expect.exit_status == 3);
  CHECK(got.cases[1].expect.hint == std::vector<std::string>{"h"});
  CHECK(got.cases[2].workspace_directory == "files/small");
  CHECK(got.cases[2].line == 26);
}

TEST_CASE("`output: null` expects null") {
  const Read got = read_case("    expect: {output: null}\n");
  REQUIRE(got.cases.size() == 1);
  REQUIRE(got.cases[0].expect.output);
  CHECK((*got.cases[0].expect.output)->is_null());
}

TEST_CASE("each error has its place and the text to write") {
  struct Row {
    const char *lines, *says;
  };
  const Row rows[] = {
      {"    inputs: {}\n", "t.yaml:4:5: unknown key `inputs` in cases[0]; did you mean `input`?"},
      {"    input: World\n", "write a map, as in `input: {name: World}`"},
      {"    input:\n", "write a map, as in `input: {name: World}`"},
      {"    arguments: [\"--top\", 3]\n", "t.yaml:4:26: cases[0].arguments[1]: "},
      {"    arguments: [\"--top\", 3]\n", "put it in quotes: \"3\""},
      {"    env: {PORT: 80}\n", "put it in quotes: \"80\""},
      {"    script: gret\n", "t.yaml:4:13: the skill has no script `gret`; did you mean `greet`?"},
      {"    arguments: [\"--json\"]\n", "t.yaml:4:17: `--json` is a flag of `band run`, not a parameter"},
      {"    arguments: [\"--input\"]\n", "--input needs a value"},
      {"    workspace: {/etc/passwd: x}\n", "\"/etc/passwd\" is not a path below the workspace"},
      {"    workspace: {a/../../b: x}\n", "write it relative, without `..`"},
      {"    workspace: {a: x, a/b: y}\n", "\"a/b\" and \"a\" cannot both be files"},
      {"    workspace: {a: {base64: \"???\"}}\n", "write what `base64 -w 0 FILE` prints"},
      {"    workspace: {a: {text: x}}\n", "unknown key `text`"},
      {"    workspace: ../secrets\n", "is not a directory below tests/"},
      {"    workspace: /etc\n", "is not a directory below tests/"},
      {"    expect: {code: FAILED}\n", "as in `code: SCRIPT_FAILED`"},
      {"    expect: {exit: 3}\n",
       "a script that exits with 3 fails, and this case expects success; also write `code:`"},
      {"    expect: {exit: 300}\n", "write a number from 0 to 255"},
      {"    expect: {message: x}\n", "`message` is possible only for a failed run, and this case expects success"},
      {"    expect: {code: TIMEOUT, output: 1}\n", "a run that fails has no output; remove `output`, or `code`"},
      {"    expect: {output: 1, contains: 1}\n", "`contains` together with `output`; keep one of them"},
      {"    expect: {files: {../x: \"\"}}\n", "\"../x\" is not a path below the workspace"},
      {"    expect: {files: {x: {absent: false}}}\n", "write `absent: true`, or name the content"},
      {"    expect: {files: {x: {}}}\n", "write the whole content as text"},
      {"    expect: {stderr: []}\n", "write text, or a list of texts"},
      {"    expect: {outputs: 1}\n", "did you mean `output`?"},
      {"  - name: n\n", "t.yaml:4:11: a second case with the name \"n\"; the first one is on line 3"},
      {"  - input: {}\n", "write a map that begins with `name: \"...\"`"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.lines);
    const Read got = read_case(row.lines);
    CHECK(got.cases.empty());
    CHECK_MESSAGE(got.text().find(row.says) != std::string::npos, got.text());
    for (const Diagnostic& error : got.errors) CHECK(error.line > 0);
  }
}

TEST_CASE("a file without a script, without cases, or that is not YAML is refused") {
  CHECK(read("cases: [{name: x}]\n").text().find("no script is named") != std::string::npos);
  CHECK(read("cases: [{name: x}]\n").text().find("scripts are: go, greet") != std::string::npos);
  CHECK(read("script: greet\n").text().find("below `cases:`") != std::string::npos);
  CHECK(read("script: greet\ncases: []\n").text().find("write a list") != std::string::npos);
  CHECK(read("").errors.size() == 1);
  CHECK(read("script: *x\n").cases.empty());
  CHECK(read("script: greet\ncases:\n  - name: \"a\\nb\"\n").text().find("one line") != std::string::npos);
}

TEST_CASE("all errors are reported together") {
  CHECK(read("script: greet\ncases:\n  - nme: x\n  - name: y\n    expct: {}\n").errors.size() >= 3);
}

TEST_CASE("every error code can be expected") {
  for (int i = 0; i <= static_cast<int>(kLastCode); ++i) {
    const std::string name(code_name(static_cast<Code>(i)));
    const Read got = read_case("    expect: {code: " + name + "}\n");
    CHECK_MESSAGE(got.errors.empty(), got.text());
    REQUIRE(got.cases.size() == 1);
    CHECK(got.cases[0].expect.code == static_cast<Code>(i));
  }
}

TEST_CASE("the file that `band test --help` shows is valid, and has every key") {
  Terminal terminal;
  std::string help;
  for (const VerbInfo& verb : verbs())
    if (verb.name == "test") help = verb_help(verb, terminal);
  const std::size_t begin = help.find("  script: greet"), end = help.find("\n\n", begin);
  REQUIRE(end != std::string::npos);
  const Read got = read(help.substr(begin, end + 1 - begin));
  CHECK_MESSAGE(got.errors.empty(), got.text());
  CHECK(got.cases.size() == 3);
  for (const char* key : {"script", "input",  "arguments", "config", "env",          "stdin",   "workspace",
                          "expect", "output", "contains",  "code",   "exit",         "message", "hint",
                          "stdout", "stderr", "refused",   "files",  "noOtherFiles", "base64",  "absent"})
    CHECK_MESSAGE(help.find(key, begin) < end, key);
}

TEST_CASE("the file that docs/skills.md shows is valid") {
  std::ifstream file(BAND_SOURCE_DIR "/docs/skills.md");
  const std::string docs{std::istreambuf_iterator<char>(file), {}};
  const std::size_t chapter = docs.find("\n## Tests\n"), begin = docs.find("```yaml\n", chapter) + 8;
  REQUIRE(chapter != std::string::npos);
  std::vector<Diagnostic> errors;
  const auto cases = read_cases(docs.substr(begin, docs.find("```", begin) - begin), "docs", {"summary"}, errors);
  CHECK_MESSAGE(errors.empty(), (errors.empty() ? "" : errors[0].text()));
  CHECK(cases.size() == 2);
}
