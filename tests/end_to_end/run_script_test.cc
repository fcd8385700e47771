// Misbehaving scripts: each gets a clear error, and the server continues.
#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

struct Bad {
  const char* what;
  const char* source;
  const char* band;
  int status;
  const char* message;
};

// Runs the script, and checks that the server still works afterwards.
void expect(const Bad& bad) {
  INFO(std::string(bad.what));
  const Caller caller(shared_server());
  const Ran ran = caller.run(bad.source, bad.band);
  CHECK_STATUS(ran, bad.status);
  CHECK_HAS(ran.err, bad.message);
  CHECK_MESSAGE(ran.out.empty(), ran.out);
  CHECK(within(10'000, [] { return shared_server().idle(); }));
}

constexpr const char* kSmall = "limit: {maxOutputBytes: 1k}";

}  // namespace

TEST_CASE("a script without a run bit runs") {
  const Caller caller(shared_server());
  caller.script("tool/go", kEmptyOutput);
  CHECK(::system(("test ! -x " + caller.skills() + "/tool/scripts/go/run.sh").c_str()) == 0);
  CHECK_STATUS(caller.band({"run", "tool/go"}), 0);
}

TEST_CASE("a script finds the files next to run.sh, and the skill's assets and references") {
  const Caller caller(shared_server());
  caller.script("tool/go",
                "cd \"$(dirname \"$0\")\"\nbash ./helper.sh ../../assets/a.txt ../../references/r.md > $OUTPUT_PATH\n");
  caller.script("tool/other", kEmptyOutput);
  const std::string skill = caller.skills() + "/tool/";
  write_file(skill + "scripts/go/helper.sh", "cat \"$@\" | jq -Rcs .; ls .. >&2\n");
  write_file(skill + "assets/a.txt", "an asset\n");
  write_file(skill + "references/r.md", "a reference\n");
  write_file(skill + "data/large.bin", std::string(9 << 20, 'x'));  // is not moved
  const Ran ran = caller.band({"run", "tool/go", "--verbose"});
  REQUIRE_STATUS(ran, 0);
  CHECK(ran.out == "\"an asset\\na reference\\n\"\n");
  CHECK_HAS(ran.err, "_lib\ngo\n");  // and not the other script
  const Ran plan = caller.band({"run", "tool/go", "--dry-run"});
  CHECK_HAS(plan.out, "files of the skill: 4\n  scripts/go/BAND.md");
  CHECK_HAS(caller.band({"run", "tool/go", "--dry-run", "--json"}).out, "\"skillFiles\"");
  write_file(skill + "assets/big.bin", std::string(8 << 20, 'x'));
  const Ran big = caller.band({"run", "tool/go"});
  CHECK_STATUS(big, 2);
  CHECK_HAS(big.err, "tool/scripts/go, assets, references: has more than 8 MiB; keep only files that the script reads");
}

TEST_CASE("an empty script is an error with a remedy") {
  expect({"empty", "", "", 2, "run.sh: is empty"});
  expect({"a comment", "# later\n", "", 5, "wrote no output"});
}

TEST_CASE("a missing output is an error") { expect({"missing", "exit 0", "", 5, "wrote no output"}); }

TEST_CASE("an output that is not JSON is an error") {
  expect({"words", "echo hello > $OUTPUT_PATH", "", 5, "JSON"});
  expect({"nothing", ": > $OUTPUT_PATH", "", 5, "JSON"});
  expect({"twice", "echo '{\"a\":1,\"a\":2}' > $OUTPUT_PATH", "", 5, "duplicate"});
  expect({"deep", "printf '%020000d' 0 | tr 0 '[' > $OUTPUT_PATH", "", 5, "output"});
}

TEST_CASE("an output over limit.maxOutputBytes is an error") {
  expect({"large", "printf '\"%02000d\"' 0 > $OUTPUT_PATH", kSmall, 7, "maxOutputBytes"});
  expect({"sparse", "truncate -s 40M $OUTPUT_PATH", kSmall, 7, "maxOutputBytes"});
}

TEST_CASE("an output that is not a regular file is an error, and does not block") {
  expect({"fifo", "mkfifo $OUTPUT_PATH", "", 5, ""});
  expect({"link", "echo '{}' > /tmp/x; ln -s /tmp/x $OUTPUT_PATH", "", 5, "link"});
  expect({"link out", "ln -s /etc/passwd $OUTPUT_PATH", "", 5, "link"});
  expect({"directory", "mkdir $OUTPUT_PATH", "", 5, ""});
}

TEST_CASE("a device cannot be made, so it cannot be an output") {
  expect({"device", "mknod $OUTPUT_PATH c 1 5", "", 1, "mknod"});
}

TEST_CASE("the caller gets a failing script's exit status and last log lines") {
  expect({"status", "echo last line >&2; exit 7", "", 1, "last line"});
  expect({"error file", "echo '{\"message\":\"no such issue\",\"hint\":\"try 5\"}' > $ERROR_PATH; exit 1", "", 1,
          "no such issue"});
  expect({"signal", "kill -SEGV $$", "", 1, "signal 11"});
}

TEST_CASE("a script over its time limit is killed") {
  expect({"sleeps", "sleep 30", "limit: {maxRuntimeMs: 200}", 124, "maxRuntimeMs"});
}

TEST_CASE("a script that ignores SIGTERM is killed one second later") {
  const Caller caller(shared_server());
  const Ran ran = caller.run("trap '' TERM INT HUP; while :; do sleep 1; done", "limit: {maxRuntimeMs: 200}");
  CHECK_STATUS(ran, 124);
  CHECK(ran.ms >= 1200);
  CHECK(ran.ms < scaled(6000));
  CHECK(within(10'000, [] { return shared_server().idle(); }));
}

TEST_CASE("an execution has CPU weight 64, and 1 after its script has run for 100 ms" * beside_server()) {
  Server server("", "1");
  const Caller caller(server);
  caller.script("tool/go", std::string("for i in {1..100}; do sleep 0.01; done\n") + kEmptyOutput);
  bool seen = false;  // a busy machine may read it late
  for (int i = 0; i < 5 && !seen; ++i) {
    Running running = caller.start({"run", "tool/go"});
    CHECK(within(5000, [&] { return !server.script_processes().empty() || running.ended(); }));
    seen = server.shares() == 64;
    CHECK(within(5000, [&] { return server.shares() == 1; }));
    CHECK(!running.ended());
    CHECK_STATUS(running.wait(), 0);
  }
  CHECK(seen);
  server.stop();
}

TEST_CASE("a thousand busy processes are killed at their time limit") {
  const Caller caller(shared_server());
  const Ran ran = caller.run("trap '' TERM; for i in {1..1000}; do while :; do :; done & done; wait",
                             "limit: {maxRuntimeMs: 2s, maxProcesses: 1010}");
  CHECK_STATUS(ran, 124);
  CHECK_HAS(ran.err, "maxRuntimeMs");
  CHECK(within(10'000, [] { return shared_server().idle(); }));
}

TEST_CASE("a script that forks endlessly is limited and killed") {
  expect({"forks", "f() { f | f & }; f; sleep 20", "limit: {maxRuntimeMs: 500, maxProcesses: 40}", 124, ""});
}

TEST_CASE("a script that fills /tmp gets an error, and the machine's disk is not filled") {
  const Caller caller(shared_server());
  const char* source =
      "head -c 3M /dev/zero > /tmp/x && echo fits >&2; head -c 9M /dev/zero > /tmp/y || echo full >&2; exit 3";
  const Ran ran = caller.run(source, "limit: {maxDiskBytes: 8m}");
  CHECK_STATUS(ran, 7);
  CHECK_HAS(ran.err, "fits");
  CHECK_HAS(ran.err, "No space left");
  CHECK_HAS(ran.err, "limit.maxDiskBytes (8388608)");
  CHECK_HAS(ran.err, "full");
}

TEST_CASE("empty files are limited, too") {
  const Caller caller(shared_server());
  const Ran ran = caller.run("i=0; while : > /tmp/f$i; do i=$((i + 1)); done; rm /tmp/f0; echo \"$i\" > $OUTPUT_PATH");
  REQUIRE_STATUS(ran, 0);
  CHECK(std::stol(ran.out) < 100'000);
}

TEST_CASE("a script over its memory limit is killed, and the error names the limit") {
  expect({"memory", "x=$(head -c 200M /dev/zero | tr '\\0' x); echo ${#x} >&2", "limit: {maxMemoryBytes: 48m}", 7,
          "maxMemoryBytes"});
}

TEST_CASE("a flood on stdout is truncated, and the run succeeds") {
  const Caller caller(shared_server());
  const Ran ran = caller.run(std::string("head -c 30M /dev/zero | tr '\\0' x; ") + kEmptyOutput, "", {"--json"});
  REQUIRE_STATUS(ran, 0);
  CHECK(ran.out.size() > 10'000);
  CHECK(ran.out.size() < 8'000'000);
  CHECK_HAS(ran.out, "Cut");
}

TEST_CASE("background processes are killed when the script exits" * beside_server()) {
  const Caller caller(shared_server());
  const std::string ignores = "trap '' HUP TERM; (set -m; sleep 60 &) ; nohup sleep 60 > /dev/null 2>&1 &\n";
  caller.script("tool/go", ignores + kHold + kEmptyOutput);
  Running running = caller.start({"run", "tool/go"});
  CHECK(shared_server().held());
  CHECK(within(5000, [] { return shared_server().script_processes().size() >= 4; }));  // the control: two besides these
  shared_server().let_go();
  CHECK_STATUS(running.wait(), 0);
  CHECK(within(10'000, [] { return shared_server().idle(); }));
}

TEST_CASE("a background process with an open stdout does not delay the answer") {
  const Caller caller(shared_server());
  const Ran ran = caller.run(std::string("sleep 20 &\n") + kEmptyOutput);
  CHECK_STATUS(ran, 0);
  CHECK(ran.ms < scaled(5000));
}

TEST_CASE("files that a script wrote cannot be executed, but bash reads them") {
  const Caller caller(shared_server());
  const char* source =
      "printf '#!/bin/bash\\necho ran\\n' > x; chmod +x x; ./x && exit 9; bash ./x >&2; jq -n '$v' --arg v \"$?\" > "
      "$OUTPUT_PATH";
  const Ran ran = caller.run(source, "", {"--json"});
  CHECK_STATUS(ran, 0);
  CHECK_HAS(ran.out, "Permission denied");
  CHECK_HAS(ran.out, "ran");
}
