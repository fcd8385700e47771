// The caller uses the files that a script wrote into the workspace: none of them may be executed by this.
#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

constexpr const char* kOut = "allow: {write: [\"./out/**\"]}";

// A bare repository whose configuration has a command that creates the file `fired`.
std::string plant(const std::string& fired) {
  return "mkdir -p out/objects out/refs\n"
         "echo 'ref: refs/heads/main' > out/HEAD\n"
         "printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tworktree = .\\n"
         "\\tfsmonitor = \"touch " +
         fired +
         "; false\"\\n' > out/config\n"
         "echo x > out/objects/x; echo x > out/refs/x\n";
}

// The caller's `git status` in `out`, with git's defaults.
Ran git_status(const Caller& caller) {
  const Environment env{
      {"PATH", "/usr/bin:/bin"}, {"HOME", caller.directory.path + "/home"}, {"GIT_CONFIG_NOSYSTEM", "1"}};
  Running git({"/usr/bin/git", "status"}, env, caller.work("out"));
  return git.wait();
}

}  // namespace

TEST_CASE("a script cannot plant a git repository whose configuration runs a command at the caller's next git status") {
  const Caller caller(shared_server());
  const std::string fired = caller.directory.path + "/fired";
  SUBCASE("control: planted by hand, git runs the command") {
    Running shell({"/bin/sh", "-c", plant(fired)}, {{"PATH", "/usr/bin:/bin"}}, caller.work(""));
    REQUIRE_STATUS(shell.wait(), 0);
    (void)git_status(caller);
    CHECK(exists(fired));
  }
  SUBCASE("in one run") {
    const Ran ran = caller.run(plant(fired) + kEmptyOutput, kOut);
    CHECK_STATUS(ran, 3);
    CHECK_HAS(ran.err, "would make `out` a git repository");
    CHECK_HAS(ran.err, "let the script use other names");
    CHECK(!exists(caller.work("out/HEAD")));
    write_file(caller.work("out/there"), "");  // so that the directory exists for git
    const Ran git = git_status(caller);
    CHECK_HAS(git.err, "not a git repository");
    CHECK(!exists(fired));
  }
  SUBCASE("in three runs, each with a part of it") {
    CHECK_STATUS(caller.run(plant(fired) + "rm -r out/objects out/refs\n" + kEmptyOutput, kOut), 0);
    CHECK_STATUS(caller.run(plant(fired) + "rm -r out/HEAD out/config out/refs\n" + kEmptyOutput, kOut), 0);
    CHECK_STATUS(caller.run(plant(fired) + "rm -r out/HEAD out/config out/objects\n" + kEmptyOutput, kOut), 3);
    CHECK(exists(caller.work("out/objects/x")));
    CHECK_HAS(git_status(caller).err, "not a git repository");
    CHECK(!exists(fired));
  }
}

TEST_CASE("a script cannot change the configuration of a bare repository of the caller") {
  const Caller caller(shared_server());
  const Environment env{{"PATH", "/usr/bin:/bin"}, {"HOME", caller.directory.path + "/home"}};
  Running init({"/usr/bin/git", "init", "-q", "--bare", "out/repo.git"}, env, caller.work(""));
  REQUIRE_STATUS(init.wait(), 0);
  const std::string before = read_file(caller.work("out/repo.git/config"));
  const std::string both = "allow: {read: [\"./out/**\"], write: [\"./out/**\"]}";
  const Ran ran =
      caller.run("echo '[core] fsmonitor = false' >> out/repo.git/config\n" + std::string(kEmptyOutput), both);
  CHECK_STATUS(ran, 3);
  CHECK_HAS(ran.err, "is in a git repository (`out/repo.git`)");
  CHECK(read_file(caller.work("out/repo.git/config")) == before);
  CHECK_STATUS(caller.run("echo x > out/beside\n" + std::string(kEmptyOutput), both), 0);  // the control
}
