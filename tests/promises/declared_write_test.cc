// Absolute paths that a band declares for writing: how a script can change the machine there.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include "tests/promises/sandbox.h"

using namespace band::test;

namespace {

With writing(const std::string& pattern) {
  With with;
  with.read = {pattern};
  with.write = {pattern};
  return with;
}

const char* const kDenied = "refused: Permission denied";
const char* const kReadOnly = "refused: Read-only file system";
const char* const kAbsent = "refused: No such file or directory";

}  // namespace

TEST_CASE(
    "a file declared for writing in a directory declared for reading can be written, whatever other directories are "
    "declared") {
  const Directory dir;
  dir.put("w/f", "old", 0666);
  dir.put("w-x/g", "beside");  // compared as text, this is between "w" and "w/f"
  With with;
  with.read = {dir.path() + "/w/**", dir.path() + "/w-x/**"};
  with.write = {dir.path() + "/w/f"};
  CHECK(inside("cd " + dir.path() + "; echo new > w/f; cat w/f w-x/g; try touch w/h", with) ==
        std::string("new\nbeside") + kReadOnly);
  CHECK(outside("cat " + dir.path() + "/w/f") == "new");
}

TEST_CASE("a directory that is declared for writing can be written, and the slot owns its new files") {
  const Directory dir;
  With with = writing(dir.path() + "/**");
  REQUIRE(::chmod(dir.path().c_str(), 0777) == 0);
  CHECK(inside("cd " + dir.path() + "; echo x >new; mkdir d; mv new d/; cat d/new", with) == "x");
  CHECK(outside("stat -c %u " + dir.path() + "/d/new") == std::to_string(slot_uid()));
  CHECK(inside("try touch " + dir.path() + "/x") == kAbsent);
}

TEST_CASE("in a directory of group band-runner, a run can change the files of a run in another slot") {
  const Directory dir;
  const std::string group = std::to_string(slot_uid());  // this program's band-runner
  CHECK(outside("chgrp " + group + " " + dir.path() + "; chmod 2775 " + dir.path() + "; mkdir " + dir.path() +
                "/closed; stat -c %g:%a " + dir.path()) == group + ":2775");
  With with = writing(dir.path() + "/**");
  const std::string append = "cd " + dir.path() + "; echo $BAND_SCRIPT >>log; mkdir -p d; echo x >>d/log; id -u";
  CHECK(start(append, with, 0).get().out == std::to_string(slot_uid(0)));
  CHECK(start(append, with, 1).get().out == std::to_string(slot_uid(1)));
  CHECK(outside("cd " + dir.path() + "; wc -l <log; wc -l <d/log; stat -c '%u %g %a' log d") ==
        "2\n2\n" + std::to_string(slot_uid(0)) + " " + group + " 664\n" + std::to_string(slot_uid(0)) + " " + group +
            " 2775");
  // The controls: a file that is closed to the group, and a directory of another group.
  const std::string close = "cd " + dir.path() + "; chmod 644 log; try touch closed/x";
  CHECK(start(close, with, 0).get().out == kDenied);
  CHECK(start("cd " + dir.path() + "; try bash -c 'echo x >>log'", with, 1).get().out == kDenied);
}

TEST_CASE("a script cannot make a link, socket, FIFO or device in a directory that is declared for writing") {
  const Directory dir;
  With with = writing(dir.path() + "/**");
  REQUIRE(::chmod(dir.path().c_str(), 0777) == 0);
  const std::string acts =
      "mkdir -p d; try ln -s /etc/shadow link; try mkfifo fifo; band-probe talk-unix $PWD/socket; "
      "band-probe mknod-device $PWD; try ln -s x d/link; ls -A | tr '\\n' ' '";
  CHECK(outside("cd " + dir.path() + "; " + acts + "; rm -r *") ==
        "did\ndid\ndid\ndid\ndid\nd device fifo link socket ");
  CHECK(inside("cd " + dir.path() + "; " + acts, with) ==
        std::string(kDenied) + "\n" + kDenied + "\nrefused EACCES\nrefused EACCES\n" + kDenied + "\nd ");
  // Allowed in the execution's own directories, which no other process uses.
  CHECK(inside("for place in /work /tmp; do cd $place; try ln -s x link; try mkfifo fifo; band-probe talk-unix socket; "
               "done") == "did\ndid\ndid\ndid\ndid\ndid");
  // An existing link cannot be moved in, either.
  CHECK(inside("ln -s /etc/shadow /tmp/l; try mv /tmp/l " + dir.path() + "/; ls -A " + dir.path(), with) ==
        std::string(kDenied) + "\nd");
}

TEST_CASE("a directory that is declared only for writing cannot be read") {
  const Directory dir;
  dir.put("a", "alpha", 0666);
  REQUIRE(::chmod(dir.path().c_str(), 0777) == 0);
  With with;
  with.write = {dir.path() + "/**"};
  CHECK(inside("cd " + dir.path() + "; try cat a; try ls .; try bash -c 'echo x >>a'", with).find("did", 30) !=
        std::string::npos);
  CHECK(inside("try cat " + dir.path() + "/a", with) == kDenied);
}

TEST_CASE("the machine's permissions apply to a directory that is declared for writing") {
  const Directory dir;
  dir.put("a", "alpha", 0644);
  With with = writing(dir.path() + "/**");
  CHECK(inside("cd " + dir.path() + "; try touch b; try bash -c ': >>a'", with) ==
        std::string(kDenied) + "\n" + kDenied);
}

TEST_CASE("a device in a directory that is declared for writing cannot be used") {
  const Directory dir;
  REQUIRE(::chmod(dir.path().c_str(), 0777) == 0);
  REQUIRE(::mknod((dir.path() + "/zero").c_str(), S_IFCHR | 0666, 0x105) == 0);
  REQUIRE(::chmod((dir.path() + "/zero").c_str(), 0666) == 0);
  With with = writing(dir.path() + "/**");
  const std::string act = "head -c1 " + dir.path() + "/zero | wc -c";
  CHECK(outside_as(slot_uid(), act) == "1");
  CHECK(inside(act, with) == "0");
}

TEST_CASE("a write rule that overlaps a denied pattern is refused") {
  const Directory dir;
  REQUIRE(::chmod(dir.path().c_str(), 0777) == 0);
  With with;
  with.write = {dir.path() + "/**"};
  with.deny_write = {dir.path() + "/*.key"};
  CHECK(run("echo", with).code == "SKILL_INVALID");
  with.deny_write = {};
  CHECK(run("echo", with).code == "OK");
}

TEST_CASE("a denied path without wildcards cannot be created in a directory that is declared for writing") {
  const Directory dir;
  dir.put("secret", "s", 0666);
  dir.put("a", "alpha", 0666);
  REQUIRE(::chmod(dir.path().c_str(), 0777) == 0);
  With with = writing(dir.path() + "/**");
  with.deny_write = {dir.path() + "/secret"};
  CHECK(inside("cd " + dir.path() + "; try bash -c 'echo x >>a'; try bash -c 'echo x >secret'", with).substr(0, 12) ==
        "did\nrefused:");
  CHECK(outside("cat " + dir.path() + "/secret") == "s");
}
