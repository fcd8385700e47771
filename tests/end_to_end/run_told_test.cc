// Messages for agents and users: every error as one JSON object, progress only on a terminal.
#include <filesystem>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

// `script` (bsdutils) gives the command a terminal; both of its streams are returned as one.
Running start_on_a_terminal(const Caller& caller, const std::string& command) {
  return {{"/usr/bin/script", "-qec", command, "/dev/null"}, caller.env, caller.work("")};
}

Ran on_a_terminal(const Caller& caller, const std::string& command) {
  return start_on_a_terminal(caller, command).wait();
}

}  // namespace

TEST_CASE("with --json every failure is one JSON object on stdout, and its code matches the exit status") {
  const Caller caller(shared_server());
  caller.script("tool/go", kEmptyOutput);
  caller.script("tool/bad", "exit 7\n");
  caller.script("tool/none", "true\n");
  caller.script("tool/empty", "");
  caller.script("tool/token", kEmptyOutput, "env:\n  TOKEN: {required: true}");
  caller.script("tool/late", "sleep 5\n", "limit: {maxRuntimeMs: 200}");
  caller.script("tool/lacks", kEmptyOutput, "allow: {cli: [\"no-such-program *\"]}");
  struct Row {
    Words words;
    int status;
    const char* code;
  };
  const Row rows[] = {
      {{}, 2, "USAGE"},
      {{"rnu"}, 2, "USAGE"},
      {{"list", "--bogus"}, 2, "USAGE"},
      {{"list", "extra"}, 2, "USAGE"},
      {{"validate", "/nonexistent"}, 2, "USAGE"},
      {{"help", "nosuch"}, 2, "USAGE"},
      {{"status", "--target", "nosuch"}, 8, "SERVER_UNREACHABLE"},
      {{"run"}, 2, "USAGE"},
      {{"run", "tool/og"}, 2, "USAGE"},
      {{"run", "tool/go", "--nosuch", "x"}, 2, "USAGE"},
      {{"run", "tool/go", "--input", "@missing"}, 2, "USAGE"},
      {{"run", "tool/go", "--input", "{"}, 2, "INPUT_INVALID"},
      {{"run", "tool/go", "--workspace", "/nonexistent"}, 2, "USAGE"},
      {{"run", "tool/go", "--env-file", "/nonexistent"}, 2, "USAGE"},
      {{"run", "tool/empty"}, 2, "SKILL_INVALID"},
      {{"run", "tool/bad"}, 1, "SCRIPT_FAILED"},
      {{"run", "tool/none"}, 5, "OUTPUT_INVALID"},
      {{"run", "tool/token"}, 6, "SECRET_MISSING"},
      {{"run", "tool/late"}, 124, "TIMEOUT"},
      {{"run", "tool/lacks"}, 8, "SANDBOX_UNAVAILABLE"},
  };
  for (const Row& row : rows) {
    Words words = row.words;
    words.push_back("--json");
    const Ran ran = caller.band(words);
    CAPTURE(ran.text());
    CHECK(ran.status == row.status);
    const bool one_line = ran.out.find('\n') + 1 == ran.out.size();
    CHECK(one_line);
    CHECK_HAS(ran.out, std::string("\"error\":{\"code\":\"") + row.code + '"');
    CHECK_HAS(ran.err, std::string("{\"error\":{\"code\":\"") + row.code + '"');
    CHECK_HAS_NOT(ran.err + ran.out, "\033");
  }
}

TEST_CASE("after one second of waiting a terminal shows the reason; a pipe gets nothing") {
  const Caller caller(shared_server());
  caller.script("tool/slow", std::string("sleep 2\n") + kEmptyOutput);
  const std::string command = BAND_BIN_DIR "/band run tool/slow";
  Running on_terminal = start_on_a_terminal(caller, command),
          on_quiet_terminal = start_on_a_terminal(caller, command + " --quiet"),
          on_a_pipe = caller.start({"run", "tool/slow"});
  const Ran seen = on_terminal.wait(), quiet = on_quiet_terminal.wait(), piped = on_a_pipe.wait();
  CHECK_STATUS(seen, 0);
  CHECK_HAS(seen.out, "running tool/slow ... 1 s");
  CHECK_HAS(seen.out, "\r\033[K{}");  // erased before the result
  CHECK_STATUS(quiet, 0);
  CHECK_HAS_NOT(quiet.out, "running");
  CHECK_STATUS(piped, 0);
  CHECK(piped.out == "{}\n");
  CHECK(piped.err.empty());
}

TEST_CASE("colours are for terminals, and not for NO_COLOR") {
  Caller caller(shared_server());
  caller.env["TERM"] = "xterm";
  const std::string command = BAND_BIN_DIR "/band nosuch";
  CHECK_HAS(on_a_terminal(caller, command).out, "\033[1;31merror:");
  CHECK_HAS_NOT(caller.band({"nosuch"}).err, "\033");
  caller.env["NO_COLOR"] = "1";
  CHECK_HAS_NOT(on_a_terminal(caller, command).out, "\033");
}

TEST_CASE("an error has the right remedy") {
  const Caller caller(shared_server());
  CHECK_HAS(caller.run("curl example.com\n").err,
            "hint: the band does not allow the command curl; write in tool/scripts/go/BAND.md:  allow: {cli: [\"curl "
            "example.com\"]}\n");
  const Ran large =
      caller.run("head -c 5000 /dev/zero | tr '\\0' 1 > \"$OUTPUT_PATH\"\n", "limit: {maxOutputBytes: 1k}");
  CHECK_STATUS(large, 7);
  CHECK_HAS(large.err, "raise limit.maxOutputBytes");
  CHECK_HAS(caller.run("set -eo pipefail\nyes | head -n 1\n").err, "hint: 141: a program wrote to a pipe");
  write_file(caller.skills() + "/tool/scripts/_lib/helper.sh", "#!/bin/bash\necho help\n", 0755);
  const Ran denied = caller.run("set -e\n\"$BAND_LIB/helper.sh\"\n");
  CHECK_STATUS(denied, 1);
  CHECK_HAS(denied.err, "start it with `bash \"$BAND_LIB/helper.sh\"`");
  const Ran helped = caller.run(std::string("bash \"$BAND_LIB/helper.sh\"\n") + kEmptyOutput);  // the control
  CHECK_STATUS(helped, 0);
  // The script's own message has precedence.
  CHECK_HAS(caller.run("echo '{\"message\":\"no luck\",\"hint\":\"try later\"}' > \"$ERROR_PATH\"; exit 127\n").err,
            "error: no luck\nhint: try later\n");
}

TEST_CASE("if stdout cannot be written, band exits with 141 silently for a closed pipe, else with 74") {
  const Caller caller(shared_server());
  for (int i = 0; i < 100; ++i)  // more than a pipe holds
    caller.script("tool/go" + std::to_string(i), kEmptyOutput, "description: " + std::string(900, 'x'));
  const auto shell = [&](const std::string& words) {
    return Running({"/bin/bash", "-c", words}, caller.env, caller.work("")).wait();
  };
  const std::string band = BAND_BIN_DIR "/band ";
  const Ran head = shell(band + "list | head -n 1; exit ${PIPESTATUS[0]}");
  CHECK_STATUS(head, 141);
  CHECK(head.err.empty());
  CHECK(shell(band + "list | cat > /dev/null; exit ${PIPESTATUS[0]}").status == 0);  // the control
  struct Row {
    const char *to, *why;
  };
  for (const Row& row : {Row{">&-", "Bad file descriptor"}, Row{"> /dev/full", "No space left on device"}})
    for (const char* words : {"list ", "--version ", "run tool/go1 ", "run tool/go1 --json "}) {
      CAPTURE(words);
      const Ran ran = shell(band + words + row.to);
      CHECK_STATUS(ran, 74);
      const std::string why = std::string("cannot write to standard output: ") + row.why;
      if (contains(words, "--json"))
        CHECK(ran.err == "{\"error\":{\"code\":\"USAGE\",\"message\":\"" + why + "\",\"hint\":\"\"}}\n");
      else
        CHECK(ran.err == "error: " + why + "\n");
    }
  CHECK(shell(band + "nosuch 2>&-").status == 2);
  CHECK_HAS(shell(band + "run hello/greet --input - <&-").err, "read standard input: Bad file descriptor");
}

TEST_CASE("with standard streams closed, band's output is never written into a file that it opens") {
  const Caller caller(shared_server());
  write_file(caller.work("a.txt"), "one\ntwo\n");
  const Ran ran = Running({"/bin/bash", "-c", BAND_BIN_DIR "/band run text/split --path a.txt --lines 1 <&- >&- 2>&-"},
                          caller.env, caller.work(""))
                      .wait();
  CHECK_STATUS(ran, 74);
  CHECK(read_file(caller.work("a.txt")) == "one\ntwo\n");
  CHECK(read_file(caller.work("out/a-0001.txt")) == "one\n");
  CHECK(read_file(caller.work("out/a-0002.txt")) == "two\n");
  // Nor into one of its pipes or connections: the log of a running script.
  caller.script("tool/log",
                std::string("for i in 1 2 3; do echo log >&2; sleep 0.2; done; echo x > x\n") + kEmptyOutput,
                "allow: {write: [\"./x\"]}");
  for (const char* closed : {">&- 2>&-", "<&- 2>&-", "2>&-", "<&- >&- 2>&-"}) {
    CAPTURE(closed);
    const Ran logged = Running({"/bin/bash", "-c", std::string(BAND_BIN_DIR "/band run tool/log --verbose ") + closed},
                               caller.env, caller.work(""))
                           .wait();
    CHECK_STATUS(logged, contains(closed, ">&- 2") ? 74 : 0);
    CHECK(read_file(caller.work("x")) == "x\n");
    std::filesystem::remove(caller.work("x"));
  }
}

TEST_CASE("limits above the server's are reported before the run starts, with a remedy when they were too low" *
          beside_server()) {
  Server server("ceiling: {limit: {maxRuntimeMs: 1s, maxProcesses: 10}}\n");
  const Caller caller(server);
  caller.script("tool/go", "sleep 20", "limit: {maxRuntimeMs: 5h}");
  Running running = caller.start({"run", "--verbose", "tool/go"});
  const std::string note =
      "note: limit.maxRuntimeMs is 1s, the most that this server allows (ceiling.limit in "
      "server.yaml); the band asks for 5h\n";
  CHECK(within(10'000, [&] { return contains(running.err(), note); }));
  CHECK(!running.ended());
  const Ran ran = running.wait();
  CHECK_STATUS(ran, 124);
  CHECK_HAS(ran.err, "hint: ask the operator to raise ceiling.limit.maxRuntimeMs in server.yaml, or do less");
  const std::string too_many = "exec sh -c 'for i in $(seq 30); do sleep 2 & done; wait'";  // dash does not try again
  CHECK_HAS(caller.run(too_many).err, "hint: ask the operator to raise ceiling.limit.maxProcesses in server.yaml");
  // The control: for a limit of the band the hint names the band.
  const Ran own = caller.run(too_many, "limit: {maxProcesses: 5}");
  CHECK_HAS(own.err, "hint: raise limit.maxProcesses in tool/scripts/go/BAND.md, as in `limit: {maxProcesses: 20}`");
  CHECK_HAS_NOT(own.err, "the most that this server allows");
  server.stop();
}

TEST_CASE("a refusal by the queue names the limit that was reached: the token's or the server's" * beside_server()) {
  Server server("queue: {per_token: 1}\n", "3, per_token: 1");
  const Caller caller(server);
  caller.script("tool/go", "sleep 20");
  Running first = caller.start({"run", "tool/go"});
  REQUIRE(within(10'000, [&] { return !server.script_processes().empty(); }));
  Running second = caller.start({"run", "tool/go"});
  REQUIRE(within(10'000, [&] { return contains(caller.band({"status", "--json"}).out, R"("queue":{"length":1)"); }));
  const Ran third = caller.band({"run", "tool/go"});
  CHECK_STATUS(third, 9);
  CHECK_HAS(third.err, "this token has 1 requests in the queue, which is the limit per token");
  CHECK_HAS(third.err, "`slots.per_token` (runs at a time)");
}
