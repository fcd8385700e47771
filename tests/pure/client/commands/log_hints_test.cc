#include "client/commands/log_hints.h"

#include <doctest/doctest.h>

#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::client;
using namespace band::test;

namespace {

// Returns the hint for a run that failed with this log; its band declares git.
std::string hint_of(const std::string& log) {
  RunPlan plan;
  plan.script.band.rules.cli = domain({"git log *"});
  Answer answer;
  answer.error = Error{.code = Code::ScriptFailed, .doing = "the script exited with 1"};
  answer.stderr_log = log;
  add_log_hints(plan, answer);
  return answer.error->hint;
}

}  // namespace

TEST_CASE("an undeclared program is named, for every program that searched for it") {
  for (const char* log :
       {"FileNotFoundError: [Errno 2] No such file or directory: 'gh'\n", "Error: spawn gh ENOENT\n",
        "xargs: gh: No such file or directory\n", "env: \u2018gh\u2019: No such file or directory\n",
        "timeout: failed to run command 'gh': No such file or directory\n", "sh: 1: gh: not found\n",
        "exec: \"gh\": executable file not found in $PATH\n",
        "run.sh: line 3: /usr/bin/gh: No such file or directory\n", "/usr/bin/env: 'gh': No such file or directory"}) {
    CAPTURE(log);
    CHECK(hint_of(log) == "the band does not declare the command gh in allow.cli (band exec: --cli)");
  }
  CHECK(hint_of("Error: spawn own-tool ENOENT\n") ==
        "the band does not declare the command own-tool in allow.cli (band exec: --cli)");
}

TEST_CASE("commands that no band can declare are not named as undeclared") {
  const std::string builtins =
      "env: \u2018cd\u2019: No such file or directory\n"
      "timeout: failed to run command \u2018ulimit\u2019: No such file or directory\n";
  CHECK(hint_of(builtins) == "");
  CHECK(hint_of(builtins + "env: \u2018gh\u2019: No such file or directory\n") ==
        "the band does not declare the command gh in allow.cli (band exec: --cli)");
}

TEST_CASE("a program that stdout reports as missing is named even if stderr is long") {
  RunPlan plan;
  Answer answer;
  answer.error = Error{.code = Code::ScriptFailed};
  answer.stdout_log = "Error: spawn gh ENOENT\n";
  answer.stderr_log = std::string(200'000, 'x');
  add_log_hints(plan, answer);
  CHECK(answer.error->hint == "the band does not declare the command gh in allow.cli (band exec: --cli)");
}

TEST_CASE("for a declared program that is called by a path, the hint is to use its name") {
  CHECK(hint_of("run.sh: line 3: /usr/bin/git: No such file or directory\n") ==
        "a declared command is found by its name, not by a path: start git by its name");
}

TEST_CASE("the hint for a path of the caller's machine is /work, and .git is named if git does not find it") {
  TempDir dir;
  dir.write("sales.csv", "x");
  dir.write(".git/config", "x");
  RunPlan plan;
  auto tree = Tree::open(dir.path());
  REQUIRE(tree.ok());
  const std::string here = tree->path();
  plan.workspace.emplace(std::move(tree).value());
  const auto hints_for = [&](const std::string& log, const std::vector<std::string>& read) {
    plan.script.band.rules.read = domain(read);
    Answer answer;
    answer.error = Error{.code = Code::ScriptFailed};
    answer.stderr_log = log;
    add_log_hints(plan, answer);
    return answer.error->hint;
  };
  const std::string missing = "No such file or directory: '" + here + "/sales.csv'\n";
  const std::string seen = "write ./sales.csv: the script sees the workspace at /work";
  CHECK(hints_for(missing, {"./**"}) == seen);
  CHECK(hints_for(missing, {"./a"}) == seen + "; sales.csv is in the workspace, and allow.read does not allow it");
  CHECK(hints_for("No such file or directory: '" + here + "2/sales.csv'\n", {"./**"}) == "");
  const std::string git = "fatal: not a git repository (or any of the parent directories): .git\n";
  CHECK(hints_for(git, {"./**"}).find(".git is in the workspace, and no wildcard") == 0);
  CHECK(hints_for(git, {"./**", "./.git/**"}) == "");
}

TEST_CASE("the current directory is opened for a hint only if the log names a file") {
  TempDir dir;
  dir.write("notes/a.md", "x");
  int opened = 0;
  const auto hint = [&](const std::string& log) {
    Answer answer;
    answer.error = Error{.code = Code::ScriptFailed};
    answer.stderr_log = log;
    add_log_hints(RunPlan{}, answer, [&] {
      ++opened;
      return Tree::open(dir.path());
    });
    return answer.error->hint;
  };
  CHECK(hint("it went wrong\n") == "");
  CHECK(hint("") == "");
  CHECK(hint("wc: notes/a.md: Is a directory\n") == "");
  CHECK(opened == 0);
  CHECK(hint("cat: notes/a.md: No such file or directory\n") ==
        "notes/a.md is in the workspace, and allow.read does not allow it");
  CHECK(opened == 1);
}

TEST_CASE("words that are not programs, and existing programs, give no hint") {
  for (const char* log :
       {"cat: notes: No such file or directory\n", "Error: ENOENT, open 'gh'\n", "the gh tool was run\n",
        "xargs: git: No such file or directory\n", "bash: /opt/gh: No such file or directory\n",
        "FileNotFoundError: [Errno 2] No such file or directory: 'jq'\n", "page: not found\n",
        "the user with the name bob: not found\n", ""}) {
    CAPTURE(log);
    CHECK(hint_of(log) == "");
  }
}
