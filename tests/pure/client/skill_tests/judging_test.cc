// Results of runs, compared with the expectations of their cases (client/skill_tests/judging.h).
#include "client/skill_tests/judging.h"

#include <doctest/doctest.h>

#include "client/skill_tests/reading.h"
#include "schemas/core/json.h"

using namespace band;
using namespace band::client;

namespace {

Expectation expectation(const std::string& yaml) {
  std::vector<Diagnostic> errors;
  const auto cases = read_cases("script: s\ncases:\n  - name: n\n    expect: " + yaml + "\n", "t.yaml", {"s"}, errors);
  REQUIRE_MESSAGE(cases.size() == 1, (errors.empty() ? "" : errors[0].text()));
  return cases[0].expect;
}

RunEnd success(const std::string& output) {
  RunEnd end;
  end.output = *parse_json(output, "output");
  end.exit_status = 0;
  return end;
}

RunEnd failure(Code code, const std::string& message) {
  RunEnd end;
  end.error = Error{.code = code, .doing = message, .hint = "do so"};
  return end;
}

std::string differences(const std::string& yaml, const RunEnd& end) {
  std::string text;
  for (const Mismatch& one : mismatches(expectation(yaml), end)) text += one.what + "\n" + one.detail;
  return text;
}

#define CHECK_SAYS(text, part) CHECK_MESSAGE((text).find(part) != std::string::npos, (text))

}  // namespace

TEST_CASE("output is compared as JSON, and its first difference is shown") {
  CHECK(differences("{output: {b: 1.0, a: [1, 2]}}", success(R"({"a":[1,2],"b":1})")) == "");
  CHECK(differences("{output: {n: 9007199254740993}}", success(R"({"n":9007199254740993})")) == "");
  CHECK(differences("{output: {n: 9007199254740993}}", success(R"({"n":9007199254740992.0})")) != "");
  CHECK(differences("{output: null}", success("null")) == "");
  CHECK(differences("{output: {a: {b: [1, 2]}}}", success(R"({"a":{"b":[1,3]}})")) ==
        "the output differs at /a/b/1\n- expected: 2\n+ got:      3\n");
  CHECK_SAYS(differences("{output: {a: 1}}", success(R"({"a":1,"b":2})")), "at /b\n- expected: nothing\n+ got:      2");
  CHECK_SAYS(differences("{output: [1, 2]}", success("[1]")), "at /1\n- expected: 2\n+ got:      nothing");
  CHECK_SAYS(differences("{output: 1}", success("\"1\"")), "the output differs\n");
  CHECK_SAYS(differences("{output: {t: \"a\\nb\\n\"}}", success(R"({"t":"a\nc\n"})")), "-b\n+c\n");
}

TEST_CASE("`contains` ignores keys that it does not name, at every depth") {
  CHECK(differences("{contains: {a: [{id: 1}]}}", success(R"({"a":[{"id":1,"x":2}],"b":0})")) == "");
  CHECK(differences("{contains: {}}", success(R"({"b":0})")) == "");
  CHECK_SAYS(differences("{contains: {a: [{id: 1}]}}", success(R"({"a":[{"id":1},{"id":2}]})")), "at /a/1");
  CHECK_SAYS(differences("{contains: {c: 1}}", success("{}")), "at /c\n- expected: 1\n+ got:      nothing");
  CHECK_SAYS(differences("{contains: {}}", success("[]")), "the output differs");
}

TEST_CASE("an unexpected end is the only mismatch, with its explanation") {
  RunEnd end = failure(Code::ScriptFailed, "no such file");
  end.stderr_log = "line\nlast\n";
  end.exit_status = 3;
  const std::string text = differences("{output: {}}", end);
  CHECK_SAYS(text, "the run ended with SCRIPT_FAILED, exit status 3; expected: SUCCESS\n");
  CHECK_SAYS(text, "message:\n  no such file\nhint:\n  do so\n");
  CHECK_SAYS(text, "the end of stderr:\n  line\n  last\n");
  CHECK(text.find("differs") == std::string::npos);
  CHECK_SAYS(differences("{code: TIMEOUT}", success("{}")), "ended with SUCCESS, exit status 0; expected: TIMEOUT");
}

TEST_CASE("an expected failure is compared by message, hint and exit status") {
  RunEnd end = failure(Code::ScriptFailed, "no such file");
  end.exit_status = 3;
  CHECK(differences("{code: SCRIPT_FAILED, message: [no, file], hint: do, exit: 3}", end) == "");
  CHECK_SAYS(differences("{code: SCRIPT_FAILED, message: [such, dog]}", end), "message does not contain \"dog\"");
  CHECK_SAYS(differences("{code: SCRIPT_FAILED, exit: 4}", end), "the exit status is 3; expected: 4");
}

TEST_CASE("an unexpected refusal fails a run that succeeded") {
  RunEnd end = success("{}");
  end.refusals = {"git push: denied (allow.cli)", "api.example.com:443 refused (not in allow.net)"};
  CHECK(differences("{refused: [git push, api.example.com]}", end) == "");
  CHECK_SAYS(differences("{refused: [git push]}", end),
             "does not list\n  api.example.com:443 refused (not in allow.net)\nallow it");
  CHECK_SAYS(differences("{}", end), "the sandbox refused something that `refused` does not list");
  CHECK_SAYS(differences("{refused: gh}", success("{}")), "no refusal in the ledger contains \"gh\"");
  RunEnd failed = failure(Code::PermissionDenied, "x");
  failed.refusals = end.refusals;
  CHECK(differences("{code: PERMISSION_DENIED}", failed) == "");
  CHECK_SAYS(differences("{code: PERMISSION_DENIED, refused: gh}", failed), "contains \"gh\"");
}

TEST_CASE("files of the workspace are compared by content, by parts, or by their absence") {
  RunEnd end = success("{}");
  end.files = {{"a", "one\n"}, {"b", std::nullopt}};
  end.written = {"a", "c"};
  CHECK(differences("{files: {a: \"one\\n\", b: {absent: true}}}", end) == "");
  CHECK_SAYS(differences("{files: {a: \"two\\n\"}}", end), "file a differs\n@@ -1 +1 @@\n-two\n+one\n");
  CHECK_SAYS(differences("{files: {a: {contains: two}}}", end), "file a does not contain \"two\"");
  CHECK_SAYS(differences("{files: {a: {absent: true}}}", end), "file a exists; expected: no file");
  CHECK_SAYS(differences("{files: {b: x}}", end), "file b does not exist\nwritten back:\n  a\n  c\n");
  CHECK_SAYS(differences("{files: {a: \"one\\n\"}, noOtherFiles: true}", end), "does not list\n  c\n");
  CHECK_SAYS(differences("{noOtherFiles: true}", end), "  a\n  c\n");
}

TEST_CASE("logs are compared by parts") {
  RunEnd end = success("{}");
  end.stdout_log = "one\ntwo\n";
  CHECK(differences("{stdout: [one, \"e\\nt\"]}", end) == "");
  CHECK_SAYS(differences("{stdout: three, stderr: x}", end), "stdout does not contain \"three\"\ngot:\n  one\n  two\n");
  CHECK_SAYS(differences("{stderr: x}", end), "stderr does not contain \"x\"\nit is empty\n");
}
