// `band exec`: a command without a skill, in the same sandbox. Its streams and its status pass through.
#include <sys/stat.h>

#include <filesystem>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

Ran exec(const Caller& caller, Words words, const std::string& input = "") {
  words.insert(words.begin(), "exec");
  return caller.band(words, input);
}

Ran shell(const Caller& caller, const std::string& line) {
  return Running({"/bin/bash", "-c", line}, caller.env, caller.work("")).wait(120'000);
}

const std::string kBand = BAND_BIN_DIR "/band";

}  // namespace

TEST_CASE("streams and exit status pass through") {
  const Caller caller(shared_server());
  const Ran ran = exec(caller, {"--", "bash", "-c", "echo out; echo err >&2; cat; exit 7"}, "in");
  CHECK_STATUS(ran, 7);
  CHECK(ran.out == "out\nin");
  CHECK(ran.err == "err\n");
  CHECK_STATUS(exec(caller, {"true"}), 0);
  CHECK_STATUS(exec(caller, {"false"}), 1);
  CHECK_STATUS(exec(caller, {"bash", "-c", "kill -SEGV $$"}), 128 + 11);
  const Ran words = exec(caller, {"--", "printf", "%s|", "a b", "", "*", "$HOME", "it's", "ä\n"});
  CHECK(words.out == "a b||*|$HOME|it's|ä\n|");
}

TEST_CASE("every byte passes in both directions, more than any log keeps, with backpressure") {
  const Caller caller(shared_server());
  const std::string source =
      "head -c 60000000 /dev/zero | openssl enc -aes-128-ctr -pass pass:band -nosalt 2>/dev/null";
  // An emulated virtual machine (tests/vm/lima-test) needs more than the default of 60 s.
  const std::string band = kBand + " exec --limit maxRuntimeMs=10m ";
  const Ran want = shell(caller, source + " | sha256sum");
  const Ran ran = shell(caller, "set -o pipefail; " + source + " | " + band + "cat | sha256sum");
  CHECK_STATUS(ran, 0);
  CHECK(ran.out == want.out);
  const Ran errors = shell(caller, band + "-- bash -c 'head -c 5000000 /dev/zero >&2' 2>&1 | wc -c");
  CHECK(errors.out == "5000000\n");
  // The server waits for a slow reader (how long: http_slow_test).
  const Ran paused = shell(caller, band + "-- head -c 30000000 /dev/zero | { sleep 3; wc -c; }");
  CHECK(paused.out == "30000000\n");
}

TEST_CASE("a reader that closes its pipe ends the command") {
  const Caller caller(shared_server());
  const Ran ran = shell(caller, "set -o pipefail; " + kBand + " exec yes | head -n 2");
  CHECK_STATUS(ran, 141);
  CHECK(ran.out == "y\ny\n");
  CHECK(ran.err.empty());
  const Ran full = shell(caller, kBand + " exec echo x > /dev/full");
  CHECK_STATUS(full, 125);
  CHECK_HAS(full.err, "No space left on device");
}

TEST_CASE(
    "a run that would change files which the command does not get is refused before it starts; --replace replaces "
    "them") {
  const Caller caller(shared_server());
  write_file(caller.work("src/a"), "one\n");
  const auto builds = [&](Words words) {
    const Words command = {"--read", "src",  "--write", "dist/",
                           "--",     "bash", "-c",      "echo ran >&2; mkdir -p dist; cp src/a dist/b"};
    words.insert(words.end(), command.begin(), command.end());
    return exec(caller, words);
  };
  CHECK_STATUS(builds({}), 0);
  write_file(caller.work("src/a"), "two\n");
  const Ran again = builds({});
  CHECK_STATUS(again, 125);
  CHECK_HAS(again.err, "dist/b exists in the workspace, and --write allows it, but --read does not");
  CHECK_HAS(again.err, "hint: add `--read dist/`, so that the command gets such files; or `--replace`");
  CHECK_HAS_NOT(again.err, "ran");
  CHECK_STATUS(builds({"--dry-run"}), 0);
  CHECK_STATUS(builds({"--read", "dist/"}), 0);
  CHECK(read_file(caller.work("dist/b")) == "two\n");
  write_file(caller.work("src/a"), "three\n");
  CHECK_STATUS(builds({"--replace"}), 0);
  CHECK(read_file(caller.work("dist/b")) == "three\n");
  const Words by_name = {"--write", "dist/b", "--", "bash", "-c", "mkdir dist; echo four > dist/b"};
  CHECK_STATUS(exec(caller, by_name), 125);
  Words replacing = by_name;
  replacing.insert(replacing.begin(), "--replace");
  CHECK_STATUS(exec(caller, replacing), 0);
  CHECK(read_file(caller.work("dist/b")) == "four\n");
}

TEST_CASE("without rules nothing is open; with rules exactly what they open") {
  const Caller caller(shared_server());
  write_file(caller.work("a.txt"), "alpha\n");
  write_file(caller.work("b.txt"), "beta\n");
  const Ran closed = exec(caller, {"cat", "a.txt"});
  CHECK_STATUS(closed, 1);
  CHECK_HAS(closed.err, "No such file");
  CHECK_HAS(closed.err, "hint: a.txt is not sent to the sandbox; add `--read a.txt`\n");
  const Ran open = exec(caller, {"--read", "a.txt", "cat", "a.txt", "b.txt"});
  CHECK_STATUS(open, 1);
  CHECK(open.out == "alpha\n");
  CHECK_HAS(open.err, "hint: b.txt is not sent to the sandbox; add `--read b.txt`\n");
  // A command that is not an essential is allowed with exactly these arguments.
  const Ran own = exec(caller, {"python3", "-c", "print('it works')"});
  CHECK_STATUS(own, 0);
  CHECK(own.out == "it works\n");
  const Ran other = exec(caller, {"bash", "-c", "python3 -c 'print(1)'"});
  CHECK_STATUS(other, 127);
  CHECK_HAS(other.err, "no rule of allow.cli names it");
  const Ran allowed = exec(caller, {"--cli", "python3 -c *", "bash", "-c", "python3 -c 'print(1)'"});
  CHECK_STATUS(allowed, 0);
  CHECK(allowed.out == "1\n");
  const Ran refused = exec(caller, {"--cli", "python3 -V", "bash", "-c", "python3 -c 'print(1)'"});
  CHECK_STATUS(refused, 126);
  CHECK_HAS(refused.err, "python3");
}

TEST_CASE("files that --write opens are written back for every exit status, and not if the command was killed") {
  const Caller caller(shared_server());
  const std::string source = "echo new > out.txt; echo not > other.txt; exit ";
  const Ran ran = exec(caller, {"--write", "out.txt", "bash", "-c", source + "3"});
  CHECK_STATUS(ran, 3);
  CHECK(read_file(caller.work("out.txt")) == "new\n");
  CHECK_FALSE(exists(caller.work("other.txt")));
  CHECK_HAS(ran.err, "wrote 1 file: out.txt");
  CHECK_HAS(ran.err, "other.txt");
  std::filesystem::remove(caller.work("out.txt"));
  const Ran late =
      exec(caller, {"--write", "out.txt", "--limit", "maxRuntimeMs=1s", "bash", "-c", source + "$(sleep 20)"});
  CHECK_STATUS(late, 124);
  CHECK_FALSE(exists(caller.work("out.txt")));
  CHECK_HAS(late.err, "--keep-partial DIR");
  // A command that a limit affected and that exited by itself: its files are written back, and the limit is reported.
  const Ran eaten = exec(caller, {"--write", "m.txt", "--limit", "maxMemoryBytes=40m", "bash", "-c",
                                  "echo kept > m.txt; head -c 200m /dev/zero | tail > /dev/null; exit 4"});
  CHECK_STATUS(eaten, 4);
  CHECK_HAS(eaten.err, "limit.maxMemoryBytes");
  CHECK(read_file(caller.work("m.txt")) == "kept\n");
  const Ran kept = exec(caller, {"--write", "*.txt", "--replace", "--limit", "maxRuntimeMs=1s", "--keep-partial",
                                 "kept", "bash", "-c", "echo part > p.txt; sleep 20"});
  CHECK_STATUS(kept, 124);
  CHECK(read_file(caller.work("kept/p.txt")) == "part\n");
}

TEST_CASE("variables are passed by name, and masked") {
  Caller caller(shared_server());
  caller.env["TEST_KEY"] = "correct-horse-battery";
  const Ran ran = exec(caller, {"--env", "TEST_KEY", "bash", "-c", "echo ${#TEST_KEY} $TEST_KEY"});
  CHECK(ran.out == "21 [masked]\n");
  CHECK(exec(caller, {"bash", "-c", "echo ${TEST_KEY-unset}"}).out == "unset\n");
  const Ran missing = exec(caller, {"--env", "NO_SUCH_KEY", "true"});
  CHECK_STATUS(missing, 125);
  CHECK_HAS(missing.err, "NO_SUCH_KEY");
}

TEST_CASE("--band uses the rules of a file; --explain shows the resulting band, which is valid") {
  const Caller caller(shared_server());
  write_file(caller.work("a.txt"), "alpha\n");
  write_file(caller.work("rules.md"), "---\nband: rules\nallow: {read: ['./*.txt']}\ndeny: {cli: ['rm *']}\n---\n");
  CHECK(exec(caller, {"--band", "rules.md", "cat", "a.txt"}).out == "alpha\n");
  CHECK_STATUS(exec(caller, {"--band", "rules.md", "rm", "a.txt"}), 126);
  const Ran ran = exec(caller, {"--explain", "--read", "a.txt", "--limit", "maxRuntimeMs=10s", "--env", "HOME_OF_TEST",
                                "--net", "example.org", "python3", "-c", "print(1)"});
  CHECK_STATUS(ran, 125);
  CHECK_HAS(ran.err, "HOME_OF_TEST");  // which is not set
  Caller with(shared_server());
  with.env["HOME_OF_TEST"] = "xy";
  write_file(with.work("a.txt"), "alpha\n");
  const Ran shown = exec(with, {"--explain", "--read", "a.txt", "--limit", "maxRuntimeMs=10s", "--env", "HOME_OF_TEST",
                                "python3", "-c", "print(\"it's\")"});
  REQUIRE_STATUS(shown, 0);
  CHECK(shown.out == "it's\n");
  const std::size_t begin = shown.err.find("---\nband: exec\n"), end = shown.err.find("---\n", begin + 4);
  REQUIRE(begin != std::string::npos);
  write_file(with.work("shown.md"), shown.err.substr(begin, end + 4 - begin));
  const Ran again = exec(with, {"--band", "shown.md", "cat", "a.txt"});
  CHECK_STATUS(again, 0);
  CHECK(again.out == "alpha\n");
  const Ran missing = exec(caller, {"--band", "none.md", "true"});
  CHECK_STATUS(missing, 125);
  CHECK_HAS(missing.err, "none.md");
}

TEST_CASE("an invalid command line is refused before anything is sent, with a remedy") {
  const Caller caller(shared_server());
  const auto refused = [&](Words words, int status, const std::string& part) {
    const Ran ran = exec(caller, std::move(words));
    CHECK_STATUS(ran, status);
    CHECK_HAS(ran.err, part);
    CHECK(ran.out.empty());
  };
  refused({}, 2, "`band exec` needs a command");
  refused({"--"}, 2, "`band exec` needs a command");
  refused({"--raed", "x", "true"}, 2, "--read");
  refused({"--cli", "git ?", "true"}, 2, "--cli");
  refused({"--net", "exa mple", "true"}, 2, "--net");
  refused({"--read", "/srv/../etc", "true"}, 2, "--read");
  refused({"--read", "", "true"}, 2, "the path is empty");
  refused({"--write", "", "true"}, 2, "the path is empty");
  refused({"--read", "--dry-run", "ls"}, 2, "looks like a flag");
  refused({"-it", "bash"}, 2, "with -t, the command has a terminal");
  refused({"git log"}, 2, "write each word as a separate argument");
  refused({"A=1", "ls"}, 2, "--env NAME");
  refused({"--env", "LD_PRELOAD", "true"}, 2, "--env");
  refused({"--limit", "maxRuntime=5s", "true"}, 2, "maxRuntimeMs");
  refused({"--limit", "maxRuntimeMs=later", "true"}, 2, "--limit maxRuntimeMs=later");
  refused({"--limit", "maxFiles=1", "--limit", "maxFiles=2", "true"}, 2, "given twice");
  refused({"--limit", "maxFiles", "true"}, 2, "NAME=VALUE");
  refused({"/usr/bin/python3", "-V"}, 2, "by its name");
  refused({"./run.sh"}, 2, "bash FILE");
  refused({"python3", "-c", std::string(5000, 'x')}, 2, "--cli 'python3 *'");
  refused({"-t", "true"}, 2, "leave out -t");
  refused({"a\nb"}, 2, "write each word as a separate argument");
}

TEST_CASE("a command that does not exist is 127, and one that cannot be executed is 126, as in a shell") {
  const TempDir programs("/opt");
  const Server server("commands: {directories: [" + programs.path + "]}\n");
  const Caller caller(server);
  write_file(programs.path + "/closed", "#!/bin/sh\necho ran\n", 0644);
  write_file(programs.path + "/lost", "#!/no/such/interpreter\n", 0755);
  write_file(programs.path + "/odd", "no program\n", 0755);
  const Ran nowhere = exec(caller, {"no-such-program-of-band"});
  CHECK_STATUS(nowhere, 127);
  CHECK_HAS(nowhere.err, "the command no-such-program-of-band is not on the machine that runs the scripts");
  CHECK(nowhere.out.empty());
  for (const std::string command : {"closed", "odd", "lost"}) {
    const Ran ran = exec(caller, {command});
    CHECK_STATUS(ran, 126);
    CHECK_HAS(ran.err, command == "lost" ? "cannot stat /no:" : programs.path + "/" + command);
  }
  // The controls: the same file with the right mode; and a missing program that is not the command.
  REQUIRE(::chmod((programs.path + "/closed").c_str(), 0755) == 0);
  const Ran ran = exec(caller, {"closed"});
  CHECK_STATUS(ran, 0);
  CHECK(ran.out == "ran\n");
  CHECK_STATUS(exec(caller, {"--cli", "no-such-program-of-band *", "closed"}), 125);
}

TEST_CASE("flags after the command belong to the command") {
  const Caller caller(shared_server());
  CHECK(exec(caller, {"echo", "--read", "--help", "--", "-t"}).out == "--read --help -- -t\n");
  CHECK(exec(caller, {"--", "echo", "--json"}).out == "--json\n");
  const Ran help = exec(caller, {"--help"});
  CHECK_STATUS(help, 0);
  CHECK_HAS(help.out, "Usage: band exec");
}

TEST_CASE("nothing is sent for a dry run") {
  const Caller caller;
  caller.target("http://127.0.0.1:1", shared_server().token("laptop"));  // without a listener
  write_file(caller.work("a.txt"), "alpha\n");
  CHECK_STATUS(exec(caller, {"--read", "*.txt", "cat", "a.txt"}), 125);  // the control
  const Ran ran = exec(caller, {"--dry-run", "--read", "*.txt", "cat", "a.txt"});
  CHECK_STATUS(ran, 0);
  CHECK_HAS(ran.out, "read: [\"./*.txt\"]");
  CHECK_HAS(ran.out, "files that would be sent: 1");
  CHECK_HAS_NOT(ran.out, "alpha");
}
