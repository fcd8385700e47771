// Files: which are shipped, mounted, written back, and never written back.
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

constexpr const char* kOut = "allow: {write: [\"./out/**\", \"./*.txt\"]}";
constexpr const char* kReadWrite = "allow: {read: [\"./*.txt\"], write: [\"./*.txt\"]}";

// Returns the names in the workspace copy as JSON.
const std::string kList = "find . -type f | sort | jq -Rcs '{files: .}' > \"$OUTPUT_PATH\"";
// Returns everything that can be read below a directory of the machine.
std::string list_of(const std::string& directory) {
  return "find " + directory + " -type f -exec cat {} + | jq -Rcs '{text: .}' > \"$OUTPUT_PATH\"";
}
std::string end_with_output(const std::string& source) { return source + "\n" + kEmptyOutput; }

mode_t mode_of(const std::string& file) {
  struct stat info {};
  REQUIRE(::stat(file.c_str(), &info) == 0);
  return info.st_mode & 07777;
}

}  // namespace

TEST_CASE("a server that was started from a shell with 1024 open files shows 1,500 declared ones" * beside_server()) {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  REQUIRE(before.rlim_max >= 4096);
  const rlimit few{1024, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  Server server;
  CHECK(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  const TempDir dir("/srv");
  for (int i = 0; i < 1'500; ++i) write_file(dir.path + "/" + std::to_string(i) + ".txt", "");
  const Caller caller(server);
  const Ran ran =
      caller.run("ls " + dir.path + " | wc -l > $OUTPUT_PATH", "allow: {read: [\"" + dir.path + "/*.txt\"]}");
  CHECK_STATUS(ran, 0);
  CHECK(ran.out == "1500\n");
  server.stop();
}

TEST_CASE("only files that allow.read opens are shipped, and deny has precedence") {
  const Caller caller(shared_server());
  for (const char* file : {"a.txt", "deep/b.txt", "private/c.txt", "d.md", ".hidden.txt"})
    write_file(caller.work(file), "x");
  const Ran ran = caller.run(kList, "allow: {read: [\"./**/*.txt\"]}\ndeny: {read: [\"./private/**\"]}");
  REQUIRE_STATUS(ran, 0);
  CHECK_HAS(ran.out, R"("./a.txt\n./deep/b.txt\n")");
  const Ran all = caller.run(kList, "allow: {read: [\"./**/*.txt\"]}");  // the control
  CHECK_HAS(all.out, "private/c.txt");
}

TEST_CASE("nothing is shipped without allow.read") {
  const Caller caller(shared_server());
  write_file(caller.work("a.txt"), "x");
  CHECK_HAS(caller.run(kList).out, R"({"files":""})");
}

TEST_CASE("a link out of the workspace is not followed") {
  const Caller caller(shared_server());
  write_file(caller.home("secret.txt"), "never seen");
  write_file(caller.work("a.txt"), "seen");
  CHECK(::symlink(caller.home("secret.txt").c_str(), caller.work("b.txt").c_str()) == 0);
  const Ran ran = caller.run("cat *.txt | jq -Rcs . > \"$OUTPUT_PATH\"", "allow: {read: [\"./*.txt\"]}");
  REQUIRE_STATUS(ran, 0);
  CHECK_HAS(ran.out, "seen");
  CHECK_HAS_NOT(ran.out, "never seen");
}

TEST_CASE("changes are written back: modes are kept, new files are 0644, nothing is deleted") {
  const Caller caller(shared_server());
  write_file(caller.work("a.txt"), "old", 0600);
  write_file(caller.work("b.txt"), "stays");
  const Ran ran = caller.run(end_with_output("echo new > a.txt; rm b.txt; (umask 0; echo c > c.txt)"), kReadWrite);
  REQUIRE_STATUS(ran, 0);
  CHECK(read_file(caller.work("a.txt")) == "new\n");
  CHECK(mode_of(caller.work("a.txt")) == 0600);
  CHECK(read_file(caller.work("b.txt")) == "stays");
  CHECK(read_file(caller.work("c.txt")) == "c\n");
  CHECK(mode_of(caller.work("c.txt")) == 0644);
}

TEST_CASE("files that write does not open are not written back, and a note names them") {
  const Caller caller(shared_server());
  const Ran ran = caller.run(end_with_output("mkdir out other; echo x | tee out/x other/y z.md"), kOut);
  REQUIRE_STATUS(ran, 0);
  CHECK(exists(caller.work("out/x")));
  CHECK(!exists(caller.work("other")));
  CHECK(!exists(caller.work("z.md")));
  CHECK_HAS(ran.err, "other/y");
}

TEST_CASE("a failed run writes nothing back") {
  const Caller caller(shared_server());
  CHECK_STATUS(caller.run("echo x > a.txt; exit 1", kOut), 1);
  CHECK_STATUS(caller.run("echo x > a.txt", kOut), 5);  // no output
  CHECK(!exists(caller.work("a.txt")));
}

TEST_CASE("a file that the caller changed during the run stops the whole write-back" * beside_server()) {
  const Caller caller(shared_server());
  write_file(caller.work("a.txt"), "first");
  write_file(caller.work("b.txt"), "first");
  caller.script("tool/go", end_with_output("echo script > a.txt; echo script > b.txt\n" + kHold), kReadWrite);
  Running running = caller.start({"run", "tool/go"});
  REQUIRE(shared_server().held());
  write_file(caller.work("b.txt"), "mine");
  shared_server().let_go();
  const Ran ran = running.wait();
  CHECK_STATUS(ran, 5);
  CHECK_HAS(ran.err, "b.txt");
  CHECK(read_file(caller.work("a.txt")) == "first");
  CHECK(read_file(caller.work("b.txt")) == "mine");
}

TEST_CASE("a new file of the caller with the name of a script's file stops the whole write-back" * beside_server()) {
  const Caller caller(shared_server());
  caller.script("tool/go", end_with_output("echo script > new.txt\n" + kHold), kOut);
  Running running = caller.start({"run", "tool/go"});
  REQUIRE(shared_server().held());
  write_file(caller.work("new.txt"), "mine");
  shared_server().let_go();
  CHECK_STATUS(running.wait(), 5);
  CHECK(read_file(caller.work("new.txt")) == "mine");
}

TEST_CASE(".git is never written, in any letter case") {
  for (const char* name : {".git", ".GIT", "sub/.git"}) {
    const Caller caller(shared_server());
    const std::string folder = std::string(name) + "/hooks";
    const Ran ran = caller.run(end_with_output("f=" + folder + "; mkdir -p $f; echo x > $f/post-commit; echo y > ok"),
                               "allow: {write: [\"./" + std::string(name) + "/**\", \"./ok\"]}");
    CHECK_MESSAGE(ran.status != 0, ran.text());
    CHECK(!exists(caller.work(name)));
    CHECK(!exists(caller.work("ok")));
  }
}

TEST_CASE("names that differ by case only are refused") {
  const Caller caller(shared_server());
  const Ran ran = caller.run(end_with_output("echo x > a.txt; echo y > A.txt"), kOut);
  CHECK_STATUS(ran, 5);
  CHECK(!exists(caller.work("a.txt")));
  CHECK(!exists(caller.work("A.txt")));
}

TEST_CASE("links that a script makes are not written back") {
  const Caller caller(shared_server());
  (void)caller.run(end_with_output("ln -s /etc/passwd a.txt; mkfifo b.txt; echo c > c.txt"), kOut);
  CHECK(!exists(caller.work("a.txt")));
  CHECK(!exists(caller.work("b.txt")));
}

TEST_CASE("the home directory is not a workspace unless --workspace names it") {
  Caller caller(shared_server());
  caller.env["HOME"] = caller.directory.path + "/work";
  write_file(caller.work("a.txt"), "x");
  caller.script("tool/go", kList, "allow: {read: [\"./*.txt\"]}");
  CHECK_STATUS(caller.band({"run", "tool/go"}), 2);
  CHECK_STATUS(caller.band({"run", "tool/go", "--workspace", caller.work("")}), 0);
}

TEST_CASE("a directory of the machine is visible as far as allow opens it, without the paths of deny" *
          beside_server()) {
  const Caller caller(shared_server());
  const TempDir machine("/var/tmp");
  const std::string data = machine.path + "/data";
  write_file(data + "/open.csv", "open");
  write_file(data + "/secret/key.csv", "closed");
  const std::string allow = "allow: {read: [\"" + data + "/**\"]}";
  const Ran whole = caller.run(list_of(data), allow);
  REQUIRE_STATUS(whole, 0);
  CHECK_HAS(whole.out, "closed");  // the control
  const Ran holes = caller.run(list_of(data), allow + "\ndeny: {read: [\"" + data + "/secret/**\"]}");
  REQUIRE_STATUS(holes, 0);
  CHECK_HAS(holes.out, "open");
  CHECK_HAS_NOT(holes.out, "closed");
  CHECK_STATUS(caller.run(end_with_output("set -e; echo x > " + data + "/open.csv"), allow), 1);
  CHECK(read_file(data + "/open.csv") == "open");
}

TEST_CASE("a directory that write opens can be written, and nothing next to it" * beside_server()) {
  const Caller caller(shared_server());
  const TempDir machine("/var/tmp");
  const std::string data = machine.path + "/data";
  write_file(data + "/in/a", "old", 0666);
  CHECK(::chmod((data + "/in").c_str(), 0777) == 0);
  write_file(data + "/beside", "old", 0666);
  const std::string rules = "allow: {read: [\"" + data + "/**\"], write: [\"" + data + "/in/**\"]}";
  const Ran ran = caller.run(end_with_output("echo new > " + data + "/in/a; echo new > " + data + "/beside"), rules);
  CHECK_STATUS(ran, 0);
  CHECK(read_file(data + "/in/a") == "new\n");
  CHECK(read_file(data + "/beside") == "old");
}

TEST_CASE("a path that the host closes to the sandbox's user stops the run with this reason" * beside_server()) {
  const Caller caller(shared_server());
  const TempDir machine("/var/tmp");
  const std::string data = machine.path + "/data";
  write_file(data + "/key", "closed", 0600);
  const Ran ran = caller.run(end_with_output("cat " + data + "/key"), "allow: {read: [\"" + data + "/key\"]}");
  CHECK_STATUS(ran, 3);
  CHECK_HAS(ran.err, data + "/key");
}

TEST_CASE("/etc is closed by the default ceiling, even if a band opens it, and the error names the ceiling") {
  const Caller caller(shared_server());
  const Ran ran = caller.run("cat /etc/hostname /etc/ssl/openssl.cnf | jq -Rcs . > \"$OUTPUT_PATH\"",
                             "allow: {read: [\"/etc/**\"]}");
  REQUIRE(!read_file("/etc/ssl/openssl.cnf").empty());
  CHECK_STATUS(ran, 3);
  CHECK_HAS(ran.err, "read `/etc/**` (");
  CHECK_HAS(ran.err, "BAND.md:");
  CHECK_HAS(ran.err, "`ceiling` in /etc/band/server.yaml");
  CHECK_HAS_NOT(ran.out, "openssl");
}

TEST_CASE("the operator's ceiling applies: closed directories, and limits" * beside_server()) {
  const TempDir machine("/var/tmp");
  write_file(machine.path + "/open/a", "open");
  write_file(machine.path + "/closed/b", "closed");
  Server server("ceiling:\n  deny: {read: [\"" + machine.path + "/closed\", \"" + machine.path +
                "/closed/**\"]}\n  limit: {maxRuntimeMs: 300}\n");
  const Caller caller(server);
  const Ran ran = caller.run(list_of(machine.path), "allow: {read: [\"" + machine.path + "/**\"]}", {"--explain"});
  REQUIRE_STATUS(ran, 0);
  CHECK_HAS(ran.out, "open");
  CHECK_HAS_NOT(ran.out, "closed");
  CHECK_HAS(ran.err, "this server's ceiling allows only a part of read `" + machine.path + "/**`");
  const Ran late = caller.run("sleep 20", "limit: {maxRuntimeMs: 60s}");
  CHECK_STATUS(late, 124);
  CHECK_HAS(late.err, "300");
  server.stop();
}

TEST_CASE(
    "a file of the workspace that the server's ceiling denies is not sent or not written back, and a note names the "
    "rule" *
    beside_server()) {
  const Words words = {
      "exec", "--read", ".", "--write", ".", "--", "bash", "-c", "cat *; echo x > c.exe; echo y > d.md"};
  const auto run_under = [&](const std::string& ceiling) {
    Server server(ceiling);
    const Caller caller(server);
    write_file(caller.work("a.key"), "secret\n");
    write_file(caller.work("b.md"), "text\n");
    Ran ran = caller.band(words);
    CHECK(read_file(caller.work("d.md")) == "y\n");
    CHECK(exists(caller.work("c.exe")) == ceiling.empty());
    server.stop();
    return ran;
  };
  const Ran control = run_under("");
  CHECK_STATUS(control, 0);
  CHECK(control.out == "secret\ntext\n");
  const Ran ran = run_under("ceiling: {deny: {read: [\"./**/*.key\"], write: [\"./**/*.exe\"]}}\n");
  CHECK_STATUS(ran, 0);
  CHECK(ran.out == "text\n");
  CHECK_HAS(ran.err, "note: not sent: a.key is denied by the server's ceiling (deny.read \"./**/*.key\"");
  CHECK_HAS(ran.err, "not written back, because the server's ceiling denies it: deny.write \"./**/*.exe\"");
}

TEST_CASE("--explain of 900 files shows 20 of a list and the number of the others; --json and --dry-run have all") {
  Caller caller(shared_server());
  for (int i = 0; i < 900; ++i) write_file(caller.work("in/" + std::to_string(1000 + i)), "x");
  const std::string source = "mkdir out; cp in/* out/\necho '{}' > \"$OUTPUT_PATH\"\n";
  const std::string band = "allow: {read: [\"./in/*\"], write: [\"./out/*\"]}\nlimit: {maxFiles: 2000}";
  const auto count = [](const std::string& text, const std::string& part) {
    int found = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  const Ran ran = caller.run(source, band, {"--explain", "--json"});
  REQUIRE_STATUS(ran, 0);
  CHECK(count(ran.err, "\n  in/1") == 20);
  CHECK_HAS(ran.err, "  ... and 880 more; --dry-run lists all of them\n");
  CHECK(count(ran.err, "\n  write: wrote out/1") == 20);
  CHECK_HAS(ran.err, "  write: ... and 880 more; --json has all\n");
  CHECK(count(ran.out, "\"wrote out/1") == 900);
  CHECK(count(caller.band({"run", "tool/go", "--dry-run"}).out, "\n  in/1") == 900);
}

TEST_CASE("a repository of which refs and objects are empty or packed is a repository in the sandbox") {
  const Caller caller(shared_server());
  const std::string git = "git -C " + caller.work("") + " -c user.name=a -c user.email=a@example.com ";
  REQUIRE(std::system(
              (git + "init -q -b main && " + git + "commit -q --allow-empty -m one && " + git + "gc -q").c_str()) == 0);
  std::error_code none;
  REQUIRE(std::filesystem::is_empty(caller.work(".git/refs/heads"), none));  // otherwise the test shows nothing
  const Ran ran = caller.band({"exec", "--read", ".git", "--", "git", "log", "--format=%s"});
  CHECK_STATUS(ran, 0);
  CHECK(ran.out == "one\n");
  CHECK_HAS_NOT(ran.err, "not written back");  // the script has not made these directories
}

TEST_CASE("a file of the caller at the name of such a directory is what the script finds there") {
  const Caller caller(shared_server());
  std::filesystem::create_directories(caller.work(".git"));
  for (const char* name : {"HEAD", "refs", "objects"}) write_file(caller.work(std::string(".git/") + name), name);
  const Ran ran = caller.band({"exec", "--read", ".git", "--", "cat", ".git/HEAD", ".git/refs", ".git/objects"});
  CHECK_STATUS(ran, 0);
  CHECK(ran.out == "HEADrefsobjects");
}
