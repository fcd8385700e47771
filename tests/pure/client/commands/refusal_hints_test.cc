#include "client/commands/refusal_hints.h"

#include <doctest/doctest.h>

#include "client/commands/log_hints.h"
#include "schemas/core/json.h"
#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::client;

namespace {

LedgerEntry entry(const char* kind, const char* details) { return {kind, "", parse_json(details, "test").value()}; }

RunPlan plan_with(const std::string& file) {
  RunPlan plan;
  plan.script.band.band.file = file;
  plan.script.band.rules.cli = test::domain({"git log *"});
  plan.script.band.rules.cli.deny = {{"git push", "test/BAND.md:9"}};
  return plan;
}

std::string hint_of(const RunPlan& plan, std::vector<LedgerEntry> ledger, Code code = Code::PermissionDenied) {
  Answer answer;
  answer.error = Error{.code = code, .doing = "x", .hint = "said before"};
  answer.ledger = std::move(ledger);
  add_refusal_hints(plan, answer);
  return answer.error->hint;
}

const char* const kGh = R"({"argv": ["gh", "pr", "list"], "startMs": 1})";
const char* const kPush = R"({"argv": ["git", "push"], "denied": true})";
const char* const kTag = R"({"argv": ["git", "tag"], "denied": true})";

}  // namespace

TEST_CASE("the hint of a run has the lines for its refusals, each once and at most three") {
  const RunPlan plan = plan_with("test/BAND.md");
  CHECK(hint_of(plan, {entry("not-found", kGh), entry("not-found", kGh)}) ==
        "said before; write in test/BAND.md:  allow: {cli: [\"gh pr list\"]}");
  CHECK(hint_of(plan, {entry("command", kPush), entry("command", kTag)}) ==
        "said before; write in test/BAND.md:  allow: {cli: [\"git tag\"]}");
  CHECK(hint_of(plan, {entry("net", R"({"outcome": "refused", "host": "a.example", "port": 5432})"),
                       entry("net", R"({"outcome": "refused", "host": "b.example"})")}) ==
        "said before; write in test/BAND.md:  allow: {net: [\"a.example:5432\"]}; write in test/BAND.md:  allow: {net: "
        "[\"b.example\"]}");
  std::vector<LedgerEntry> many;
  for (const char* name : {"a", "b", "c", "d"})
    many.push_back(entry("not-found", ("{\"argv\": [\"" + std::string(name) + "x\"]}").c_str()));
  const std::string three = hint_of(plan, many);
  CHECK(three.find("cx") != std::string::npos);
  CHECK(three.find("dx") == std::string::npos);
}

TEST_CASE("no line is proposed without a refusal, with an incomplete command line, or without a file") {
  const RunPlan plan = plan_with("test/BAND.md");
  for (const char* details :
       {R"({"argv": ["git", "tag"], "denied": false, "status": 1})",
        R"({"argv": ["gh", "x"], "denied": true, "argumentsLeftOut": 3})",
        R"({"argv": ["gh", "[masked]"], "denied": true})", R"({"argv": ["gh", "a\\nb"], "denied": true})"}) {
    CAPTURE(std::string(details));
    CHECK(hint_of(plan, {entry("command", details)}) == "said before");
  }
  CHECK(hint_of(plan, {entry("not-found", kGh)}, Code::OutputInvalid) == "said before");
  CHECK(hint_of(plan_with(""), {entry("not-found", kGh)}) == "said before");
}

TEST_CASE("for a program and a file that the log names, the hint has the line to write") {
  test::TempDir dir;
  dir.write("a.md", "x");
  RunPlan plan = plan_with("test/BAND.md");
  const auto hints_for = [&](const std::string& log) {
    Answer answer;
    answer.error = Error{.code = Code::ScriptFailed};
    answer.stderr_log = log;
    add_log_hints(plan, answer, [&] { return Tree::open(dir.path()); });
    return answer.error->hint;
  };
  CHECK(hints_for("Error: spawn gh ENOENT\n") ==
        "the band does not declare the command gh in allow.cli (band exec: --cli); write in test/BAND.md:  allow: "
        "{cli: [\"gh\"]}, and add "
        "the command's arguments after its name");
  CHECK(hints_for("cat: a.md: No such file or directory\n") ==
        "a.md is in the workspace, and allow.read does not allow it; write in test/BAND.md:  allow: {read: "
        "[\"./a.md\"]}");
}
