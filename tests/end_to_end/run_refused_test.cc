// A run without everything that the band declares is refused; and errors of the format.
#include <unistd.h>

#include <sys/stat.h>

#include <filesystem>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

struct Refusal {
  const char* band;
  int status;
  const char* message;
};

void expect(const Refusal& refusal) {
  INFO(std::string(refusal.band));
  const Caller caller(shared_server());
  const Ran ran = caller.run(std::string("echo ran >&2\n") + kEmptyOutput, refusal.band);
  CHECK_STATUS(ran, refusal.status);
  CHECK_HAS(ran.err, refusal.message);
  CHECK_HAS_NOT(ran.err, "ran\n");
}

}  // namespace

TEST_CASE("a band with a command that the machine lacks does not run, and the hint names the package") {
  expect({"allow: {cli: [\"no-such-program *\"]}", 8, "no-such-program"});
}

TEST_CASE("a denied command exits with 126, the run ends with PERMISSION_DENIED, and --explain shows it") {
  const Caller caller(shared_server());
  const Ran ran = caller.run("rm -rf ./x", "deny: {cli: [\"rm -rf *\"]}", {"--explain"});
  CHECK_STATUS(ran, 3);
  CHECK_HAS(ran.err, "band: denied: rm -rf ./x  (deny.cli \"rm -rf *\"");
}

TEST_CASE("refusals are reported also when the run succeeds: at most three lines, and with --quiet their number") {
  const Caller caller(shared_server());
  const std::string band = "allow: {cli: [\"git *\"]}\ndeny: {cli: [\"git push *\"]}";
  const std::string push = "git push origin || true\n";
  const Ran once = caller.run(push + kEmptyOutput, band);
  CHECK_STATUS(once, 0);
  CHECK_HAS(once.err, "note: denied: git push origin  (deny.cli \"git push *\"");
  CHECK_STATUS(caller.run("git --version >&2\n" + std::string(kEmptyOutput), band), 0);
  CHECK_HAS_NOT(caller.run("git --version >&2\n" + std::string(kEmptyOutput), band).err, "denied");  // the control
  const Ran many = caller.run(push + push + "for i in 1 2 3 4; do git push $i || true; done\n" + kEmptyOutput, band);
  CHECK_HAS(many.err, "git push origin  (deny.cli");
  CHECK_HAS(many.err, ", 2 times\n");
  CHECK_HAS(many.err, "note: denied: git push 2  (");
  CHECK_HAS_NOT(many.err, "note: denied: git push 3");
  CHECK_HAS(many.err, "note: 2 more refused or not found; --explain names all\n");
  const Ran quiet = caller.run(push + push + kEmptyOutput, band, {"--quiet"});
  CHECK(quiet.err == "band: 2 actions were refused or not found; without --quiet, band names them\n");
  const Ran failed = caller.run(push + "git push 2\nexit 5\n", band);
  CHECK_STATUS(failed, 3);
  CHECK_HAS(failed.err, "note: denied: git push 2");  // the error names only the first refusal
  CHECK_HAS_NOT(failed.err, "note: denied: git push origin");
}

TEST_CASE(
    "refused connections are reported with their number, and `band exec` reports what the command has not printed") {
  const Caller caller(shared_server());
  const std::string packets = "for i in 1 2 3; do (echo x > /dev/udp/127.0.0.1/53) 2>/dev/null || true; done\n";
  CHECK_HAS(caller.run(packets + kEmptyOutput).err, "note: refused 3 packets");
  CHECK(caller.run(packets + kEmptyOutput, "", {"--quiet"}).err ==
        "band: 3 actions were refused or not found; without --quiet, band names them\n");
  const std::string lookups = "for i in 1 2; do curl -s http://denied.example || true; done\n";
  const std::string band = "allow: {net: [\"*.example\"], cli: [\"curl *\"]}\ndeny: {net: [denied.example]}";
  const Ran net = caller.run(lookups + kEmptyOutput, band);
  CHECK_STATUS(net, 0);
  CHECK(net.err.find("denied.example refused (deny.net") != std::string::npos);
  CHECK(net.err.find("denied.example refused (deny.net") == net.err.rfind("denied.example refused (deny.net"));
  const auto exec = [&](const std::string& line, const Words& flags = {}) {
    Words words = {"exec", "--cli", "git *"};
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {"--", "bash", "-c", line});
    return caller.band(words);
  };
  CHECK_HAS(exec(packets).err, "note: refused 3 packets");
  CHECK(exec(packets, {"--quiet"}).err ==
        "band: 3 actions were refused or not found; without --quiet, band names them\n");
  write_file(caller.work("B.md"), "---\nband: t\ndeny: {cli: [\"git push *\"]}\n---\n");
  const Ran printed = exec("git push x || true", {"--band", "B.md"});  // the command's stderr has the refusal
  CHECK_HAS(printed.err, "denied: git push x");
  CHECK(printed.err.find("denied: git push x") == printed.err.rfind("denied: git push x"));
  CHECK_HAS(exec("git push x 2>/dev/null || true", {"--band", "B.md"}).err, "note: denied: git push x");
}

TEST_CASE("the last line of a run is the number of changes that the workspace does not get, also with --quiet") {
  const Caller caller(shared_server());
  write_file(caller.work("o/gone"), "old");
  const std::string source =
      "rm o/gone; mkdir o/empty; echo 1 > o/tool; chmod +x o/tool; ln -s tool o/alias; echo 2 > other\n";
  const std::string band = "allow: {read: [\"./o/**\"], write: [\"./o/**\"]}";
  const Ran quiet = caller.run(source + kEmptyOutput, band, {"--quiet"});
  REQUIRE_STATUS(quiet, 0);
  CHECK(quiet.err ==
        "band: 5 changes were not written back: o/alias, other, o/empty/, o/gone (removed), o/tool (mode)\n");
  CHECK(read_file(caller.work("o/tool")) == "1\n");
  const Ran exec = caller.band({"exec", "--read", "o/", "--write", "o/", "bash", "-c", source});
  REQUIRE_STATUS(exec, 0);
  CHECK_HAS(exec.err, "note: the script made 1 empty directory; in the workspace band makes none: o/empty/\n");
  CHECK_HAS(exec.err, "\nband: 5 changes were not written back, see the notes above\n");
  CHECK(caller.run("cat o/tool\n" + std::string(kEmptyOutput), band, {"--quiet"}).err.empty());  // the control
  std::filesystem::create_directories(caller.work("o/empty"));
  CHECK_HAS_NOT(caller.run("mkdir o/empty\n" + std::string(kEmptyOutput), band).err, "empty");  // the workspace has it
}

TEST_CASE("an unmet insist gives exit code 4, names the nearest action, and keeps the output") {
  const Caller caller(shared_server());
  const Ran ran = caller.run("git --exec-path > /dev/null\n" + std::string(kEmptyOutput),
                             "allow: {cli: [\"git *\"]}\ninsist: {cli: [\"git --version\"]}");
  CHECK_STATUS(ran, 4);
  CHECK_HAS(ran.err, "git --version");
  CHECK_HAS(ran.err, "git --exec-path");
  CHECK(ran.out == "");
}

TEST_CASE("unmet insist.read and insist.write give exit code 4, met ones have no effect" * beside_server()) {
  const Caller caller(shared_server());
  const TempDir dir("/srv");
  write_file(dir.path + "/a", "alpha");
  REQUIRE(::chmod(dir.path.c_str(), 0755) == 0);
  write_file(caller.work("data"), "beta");
  const std::string band = "insist:\n  read: [\"./data\", \"" + dir.path + "/a\"]\n  write: [\"./out\"]";
  CHECK_STATUS(caller.run("cat data " + dir.path + "/a > out\n" + kEmptyOutput, band), 0);
  ::unlink(caller.work("out").c_str());  // an existing file that is not read would stop the second run
  const Ran ran = caller.run("cat data > other\n" + std::string(kEmptyOutput), band);
  CHECK_STATUS(ran, 4);
  CHECK_HAS(ran.err, "insist.read \"" + dir.path + "/a\"");
  CHECK_HAS(ran.err, "insist.write \"./out\"");
  CHECK_HAS_NOT(ran.err, "insist.read \"./data\"");
}

TEST_CASE("a band that names an essential runs") {
  const Caller caller(shared_server());
  CHECK_STATUS(caller.run(kEmptyOutput, "allow: {cli: [\"jq *\"]}"), 0);
}

TEST_CASE("an insist inside a deny is SKILL_INVALID") {
  expect({"insist: {write: [\"./out/a\"]}\ndeny: {write: [\"./out/**\"]}", 2, "./out/a"});
}

TEST_CASE("a broken band is refused with FILE:LINE:COLUMN before anything is sent") {
  expect({"allow: {reed: [\"./x\"]}", 2, "tool/scripts/go/BAND.md:3:9:"});
  expect({"limit: {maxRuntimeMs: 0}", 2, "tool/scripts/go/BAND.md:3:23:"});
}

TEST_CASE("a path that does not exist on the machine stops the run with this reason") {
  expect({"allow: {read: [\"/opt/no-such-place/**\"]}", 8, "/opt/no-such-place"});
}

TEST_CASE("directories of the sandbox itself cannot be declared") {
  expect({"allow: {read: [\"/tmp/**\"]}", 8, "no rule can allow the machine's /tmp"});
  expect({"allow: {read: [\"/**\"]}", 8, "whole machine"});
}

TEST_CASE("a sandbox has no network, not even to the machine itself") {
  const Caller caller(shared_server());
  const std::string port = std::to_string(shared_server().port());
  const std::string reach = "(: < /dev/tcp/127.0.0.1/" + port + ") && echo reached || echo refused";
  const Ran outside = Running({"/bin/bash", "-c", reach}, {}, "/").wait();
  CHECK_HAS(outside.out, "reached");  // the control
  const Ran inside = caller.run("x=$(" + reach + " 2>&1); jq -n --arg x \"$x\" '$x' > $OUTPUT_PATH");
  REQUIRE_STATUS(inside, 0);
  CHECK_HAS(inside.out, "refused");
  CHECK_HAS_NOT(inside.out, "reached");
}

TEST_CASE("the ledger has refused packets") {
  const Caller caller(shared_server());
  const Ran ran = caller.run(std::string("(echo x > /dev/udp/127.0.0.1/53)\n") + kEmptyOutput, "", {"--json"});
  CHECK_STATUS(ran, 0);
  CHECK_HAS(ran.out, "refusedPackets");
}

TEST_CASE("commands of the machine that are not essentials do not exist in the sandbox") {
  const Caller caller(shared_server());
  REQUIRE((exists("/usr/bin/perl") && exists("/usr/bin/python3")));
  const Ran ran = caller.run(
      "ls /usr/bin/perl /usr/bin/python3 /usr/bin/curl /home /root /var 2> /dev/null | wc -l > $OUTPUT_PATH");
  REQUIRE_STATUS(ran, 0);
  CHECK(ran.out == "0\n");
}
