// `bash -n` in `band validate`: the real bash of this machine, or a stand-in.
#include "client/skills/syntax.h"

#include <doctest/doctest.h>

#include "client/host/spawn.h"
#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::client;
using namespace band::test;

namespace {

struct Checked {
  std::vector<Diagnostic> errors, notes;
  std::string text() const {
    std::string all;
    for (const Diagnostic& error : errors) all += error.text() + "\n";
    for (const Diagnostic& note : notes) all += "note: " + note.text() + "\n";
    return all;
  }
};

Checked check(const TempDir& dir, const std::vector<std::string>& scripts = {"go"}) {
  Checked checked;
  check_syntax("s", dir.path(), scripts, checked.errors, checked.notes);
  return checked;
}

}  // namespace

TEST_CASE("a syntax error has file and line, in run.sh and in files of scripts/_lib") {
  TempDir dir;
  dir.write("scripts/go/run.sh", "set -eu\nif true; then\n  echo hi\n");
  dir.write("scripts/other/run.sh", "x=1\nfi\n");
  dir.write("scripts/_lib/a.sh", "f() {\n");
  dir.write("scripts/_lib/deep/b.sh", "echo )\n");
  dir.write("scripts/_lib/data.txt", "if (((\n");  // not a shell script
  const Checked checked = check(dir, {"go", "other"});
  CAPTURE(checked.text());
  REQUIRE(checked.errors.size() == 4);
  CHECK(checked.errors[0].file == "s/scripts/go/run.sh");
  CHECK(checked.errors[0].line >= 3);
  CHECK(checked.errors[1].file == "s/scripts/other/run.sh");
  CHECK(checked.errors[1].line == 2);
  CHECK(checked.errors[1].message == "syntax error near unexpected token `fi'");
  CHECK(checked.errors[2].file == "s/scripts/_lib/a.sh");
  CHECK(checked.errors[3].file == "s/scripts/_lib/deep/b.sh");
  CHECK(checked.notes.empty());
}

TEST_CASE("a script without an error has no finding, and an unterminated here-document is a note") {
  TempDir dir;
  dir.write("scripts/go/run.sh", "set -euo pipefail\n[[ $1 =~ ^a+$ ]] && echo '{}' > \"$OUTPUT_PATH\"\n");
  CHECK(check(dir).text().empty());
  dir.write("scripts/go/run.sh", "echo\ncat <<END\ntext\n");
  const Checked checked = check(dir);
  CHECK(checked.errors.empty());
  REQUIRE(checked.notes.size() == 1);
  CHECK(checked.notes[0].text().find("here-document at line 2") != std::string::npos);
}

TEST_CASE("no line of a script is executed, and no file that the environment names") {
  TempDir dir;
  const std::string mark = dir.path("mark");
  dir.write("startup", "touch " + mark + ".startup\n");
  dir.write("scripts/go/run.sh", "touch " + mark + "\na=$(touch " + mark + ")\n: $((b[$(touch " + mark +
                                     ")]))\nset +n\nshopt -s expand_aliases\nalias x='touch " + mark + "'\nx\n");
  const EnvVar startup("BASH_ENV", dir.path("startup")), interactive("ENV", dir.path("startup")),
      function("BASH_FUNC_touch%%", "() { echo > " + mark + ".function; }"), options("SHELLOPTS", "xtrace");
  CHECK(check(dir).text().empty());
  for (const std::string& name : dir.names()) CHECK(name.find("mark") == std::string::npos);
  // The control: without the cleared environment the startup file is read.
  REQUIRE(::system(("/bin/bash -c :")) == 0);
  CHECK(dir.has("mark.startup"));
}

TEST_CASE("bash is found in an absolute directory of PATH; without bash a note reports the skipped check") {
  TempDir dir, here;
  dir.write("scripts/go/run.sh", "fi\n");
  here.write("bash", "#!/bin/sh\ntouch " + here.path("ran") + "\n", 0755);
  const fs::path before = fs::current_path();
  fs::current_path(here.path());
  {
    const EnvVar path("PATH", ":.:bin:/nonexistent");
    const Checked checked = check(dir);
    CHECK(checked.errors.empty());
    REQUIRE(checked.notes.size() == 1);
    CHECK(checked.notes[0].text() == "s/scripts: its syntax was not checked: there is no bash in PATH; install bash");
  }
  fs::current_path(before);
  CHECK_FALSE(here.has("ran"));
  const EnvVar path("PATH", ".:/usr/bin:/bin");
  CHECK(check(dir).errors.size() == 1);
}

TEST_CASE("a bash that fails without a line, or prints too much, causes a note") {
  TempDir dir, bin;
  dir.write("scripts/go/run.sh", "echo\n");
  const EnvVar path("PATH", bin.path());
  bin.write("bash", "#!/bin/sh\nkill -SEGV $$\n", 0755);
  CHECK(check(dir).text() ==
        "note: s/scripts/go/run.sh: its syntax was not checked: `bash -n` exited with status 139\n");
  bin.write("bash", "#!/bin/sh\nwhile :; do echo no; done\n", 0755);
  CHECK(check(dir).text().find("bash exceeded its limit of time or output") != std::string::npos);
}

TEST_CASE("an examined program is killed at its limits") {
  const auto late = examine("/bin/sleep", {"30"}, "", {.ms = 200, .output = 100});
  REQUIRE(late.ok());
  CHECK(late->over);
  CHECK(late->exit_status == 128 + 9);
  const auto silent = examine("/bin/sh", {"-c", "exec >&- 2>&-; sleep 30"}, "", {.ms = 200, .output = 100});
  REQUIRE(silent.ok());
  CHECK(silent->over);
  const auto loud = examine("/usr/bin/yes", {}, "", {.ms = 5000, .output = 100});
  REQUIRE(loud.ok());
  CHECK(loud->over);
  CHECK(loud->text.size() == 100);
  const auto fine = examine("/bin/cat", {}, "in\n", {.ms = 5000, .output = 100});
  REQUIRE(fine.ok());
  CHECK_FALSE(fine->over);
  CHECK(fine->text == "in\n");
}

TEST_CASE("an examined program has limits of memory and processor time") {
  const auto large =
      examine("/bin/dd", {"if=/dev/zero", "of=/dev/null", "bs=200M", "count=1"}, "", {.memory = 100u << 20});
  REQUIRE(large.ok());
  CHECK(large->exit_status == 1);
  CHECK(large->text.find("memory exhausted") != std::string::npos);
  const auto busy = examine("/bin/sh", {"-c", "while :; do :; done"}, "", {.ms = 30'000, .cpu_seconds = 1});
  REQUIRE(busy.ok());
  CHECK_FALSE(busy->over);
  CHECK(busy->exit_status > 128);
  const auto fine = examine("/bin/cat", {"-", "/dev/null"}, "a b\n", {.memory = 1u << 30, .cpu_seconds = 5});
  REQUIRE(fine.ok());
  CHECK(fine->exit_status == 0);
  CHECK(fine->text == "a b\n");
}
