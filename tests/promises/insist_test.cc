// insist.read and insist.write: only kernel events count, and no output of a script.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/promises/sandbox.h"

using namespace band::test;

namespace {

With shipped(const std::vector<std::string>& insist) {
  With with;
  with.read = {"./**"};
  with.write = {"./**"};
  with.insist_read = insist;
  with.files = {{"data/a", "alpha"}, {"data/b", "beta"}, {"secret", "s"}};
  return with;
}

const std::string kMet = "OK";
const std::string kMissed = "INSIST_NOT_SATISFIED";

std::string reads_a(const std::string& script) { return run(script, shipped({"./data/a"})).code; }

// A directory of the machine that the slot may write, with some files.
class Shared : public Directory {
 public:
  Shared() {
    put("a", "alpha", 0666);
    put("b", "beta", 0666);
    REQUIRE(::chmod(path().c_str(), 0777) == 0);
  }

  With reading(const std::vector<std::string>& insist, bool writable = false) const {
    With with;
    with.read = {path() + "/**"};
    if (writable) with.write = {path() + "/**"};
    for (const std::string& name : insist) with.insist_read.push_back(path() + "/" + name);
    return with;
  }
  With writing(const std::string& insist) const {
    With with;
    with.read = with.write = {path() + "/**"};
    with.insist_write = {path() + "/" + insist};
    return with;
  }
  std::string reads_a(const std::string& script, bool writable = false) const {
    return run("cd " + path() + "\n" + script, reading({"a"}, writable)).code;
  }
  std::string writes_a(const std::string& script) const {
    const std::string code = run("cd " + path() + "\n" + script, writing("a")).code;
    put("a", "alpha", 0666);
    return code;
  }
};

}  // namespace

TEST_CASE("a shipped file that is read in any way meets its insist") {
  for (const std::string script :
       {"cat data/a", "read -r x <data/a || true", "x=$(<data/a)", "sort data/a", "grep -c . data/a", "cp data/a copy",
        "mapfile <data/a", "band-probe map-read data/a"}) {
    CAPTURE(script);
    CHECK(reads_a(script) == kMet);
  }
}

TEST_CASE("a shipped file that is not opened for reading does not meet its insist") {
  for (const std::string script :
       {"true", "touch data/a", "stat data/a; ls -l data; test -r data/a", ": >>data/a", "chmod 600 data/a",
        "mv data/a c", "cat data/b", "echo read data/a >&2", "ln -s data/a link"}) {
    CAPTURE(script);
    CHECK(reads_a(script) == kMissed);
  }
}

TEST_CASE("reading a file that the script changed or created does not meet the insist") {
  for (const std::string script :
       {"echo fake >data/a; cat data/a", "echo fake >data/a; read x <data/a", ": >data/a; cat data/a",
        "truncate -s 1 data/a; cat data/a", "echo more >>data/a; cat data/a",
        "rm data/a; echo alpha >data/a; cat data/a", "cp data/a other; true"}) {
    CAPTURE(script);
    CHECK(reads_a(script) == (script[0] == 'c' ? kMet : kMissed));  // the last one is the control
  }
  CHECK(reads_a("read x <data/a; echo more >>data/a") == kMet);
  CHECK(reads_a("{ read x; echo y; } 1<>data/a <data/a") == kMet);
}

TEST_CASE(
    "a read of another file with the name of a shipped file does not meet the insist, and a read of the file with "
    "another name does") {
  CHECK(reads_a("mv secret data/a; cat data/a") == kMissed);
  CHECK(reads_a("rm data/a; ln secret data/a; cat data/a") == kMissed);
  CHECK(reads_a("ln -sf ../secret data/a; cat data/a") == kMissed);
  CHECK(reads_a("mv data/a elsewhere; cat elsewhere") == kMet);
  CHECK(reads_a("ln data/a elsewhere; cat elsewhere") == kMet);
}

TEST_CASE("the error names an unmet insist, the event that came nearest, and the reason why the event does not count") {
  const Ran other = run("cat data/b", shipped({"./data/a"}));
  CHECK(other.message.find("insist.read \"./data/a\" (test/BAND.md:1) did not happen; nearest: ./data/b") == 0);
  const Ran changed = run("echo x >data/a; cat data/b data/a", shipped({"./data/a"}));
  CHECK(changed.message.find("nearest: ./data/a, which was changed before it was read") != std::string::npos);
  const Shared dir;
  const Ran of_machine = run("cat " + dir.path() + "/b", dir.reading({"a"}));
  CHECK(of_machine.message.find("nearest: " + dir.path() + "/b") != std::string::npos);
  CHECK(run("", shipped({"./data/a"})).message.find("no similar event was recorded") != std::string::npos);
  CHECK(other.data == "null");
}

TEST_CASE("every pattern of insist must be met, and one matching file meets a pattern") {
  CHECK(run("cat data/a", shipped({"./data/*", "./secret"})).code == kMissed);
  const Ran both = run("cat data/b secret", shipped({"./data/*", "./secret"}));
  CHECK(both.code == kMet);
  CHECK(both.ledger == "read: read data/b\nread: read secret\n");
}

TEST_CASE("all reads are recorded, even of more shipped files than the kernel's default queue holds") {
  With with = shipped({"./many/9999"});
  for (int i = 0; i < 10'000; ++i) with.files.push_back({"many/" + std::to_string(i), "x"});
  with.limits = {{"maxFiles", 20'000}};
  CHECK(run("cd many; seq 0 9998 | xargs cat >/dev/null", with).code == kMissed);
  CHECK(run("cd many; seq 0 9999 | xargs cat >/dev/null", with).code == kMet);
}

TEST_CASE("a file of the machine that is read in any way meets its insist") {
  const Shared dir;
  for (const std::string script :
       {"cat a", "read x <a || true", "sort a", "band-probe map-read a", "(kill -9 $BASHPID) <a || true"}) {
    CAPTURE(script);
    CHECK(dir.reads_a(script) == kMet);
    CHECK(dir.reads_a(script, true) == kMet);
  }
  const With single = [&] {
    With with;
    with.insist_read = {dir.path() + "/a"};  // a separate mount
    return with;
  }();
  CHECK(run("cat " + dir.path() + "/a", single).code == kMet);
  CHECK(run("cat " + dir.path() + "/a", single).ledger == "read: read " + dir.path() + "/a\n");
}

TEST_CASE("a file of the machine that is not opened for reading does not meet its insist") {
  const Shared dir;
  for (const std::string script : {"true", "stat a; ls -l; test -r a", "cat b"}) {
    CAPTURE(script);
    CHECK(dir.reads_a(script) == kMissed);
  }
  for (const std::string script : {"touch a", "touch -c a", ": >>a", "echo fake >a; cat a", "echo fake >a; read x <a",
                                   ": >a; read x <a", "mv b a; cat a", "rm a; echo fake >a; cat a"}) {
    CAPTURE(script);
    CHECK(dir.reads_a(script, true) == kMissed);
    dir.put("a", "alpha", 0666);
    dir.put("b", "beta", 0666);
  }
  CHECK(dir.reads_a("read x <a; echo $x >a", true) == kMet);
  dir.put("a", "alpha", 0666);
  CHECK(dir.reads_a("mv a c; cat c; mv c a", true) == kMet);
}

TEST_CASE("reads of other processes on the machine do not meet an insist") {
  const Shared dir;
  auto running = start(kHold, dir.reading({"a"}));
  CHECK(held());
  CHECK(outside("cat " + dir.path() + "/a") == "alpha");
  CHECK(outside_as(slot_uid(), "cat " + dir.path() + "/a") == "alpha");
  let_go();
  CHECK(running.get().code == kMissed);
  auto other = start(kHold, dir.reading({"a"}));
  CHECK(held());
  CHECK(start("cat " + dir.path() + "/a", dir.reading({"a"}), 1).get().code == kMet);  // another execution
  let_go();
  CHECK(other.get().code == kMissed);
}

TEST_CASE("all reads are recorded, even more than the kernel's default queue holds") {
  const Shared dir;
  outside("mkdir " + dir.path() + "/many; cd " + dir.path() + "/many; seq 0 19999 | xargs touch");
  const std::string all = "cd " + dir.path() + "/many; seq 0 19999 | xargs cat; ";
  CHECK(run(all, dir.reading({"a"})).code == kMissed);
  CHECK(run(all + "cat ../a", dir.reading({"a"})).code == kMet);
  CHECK(run(all, dir.reading({"many/19999"})).code == kMet);
}

TEST_CASE("a read by a declared command meets an insist on a shipped file and on a file of the machine") {
  const Shared dir;
  With with = dir.reading({"a"});
  with.cli = {"git *"};
  with.insist_read.push_back("./data/a");
  with.files = {{"data/a", "alpha"}};
  const std::string hash = "git hash-object --no-filters data/a " + dir.path() + "/a";
  CHECK(run("git --version", with).code == kMissed);
  CHECK(run(hash, with).code == kMet);
}

TEST_CASE("a shipped or new file with other content meets insist.write, and one with the same bytes does not") {
  const auto writes = [](const std::string& script) {
    With with = shipped({});
    with.insist_write = {"./data/a"};
    return run(script, with).code;
  };
  CHECK(writes("echo new >data/a") == kMet);
  CHECK(writes("rm data/a; echo new >data/a") == kMet);
  for (const std::string script :
       {"true", "touch data/a", "printf alpha >data/a", "echo x >data/b", "cat data/a", "rm data/a"}) {
    CAPTURE(script);
    CHECK(writes(script) == kMissed);
  }
  With with = shipped({});
  with.insist_write = {"./data/a"};
  CHECK(run("printf alpha >data/a", with).message.find("./data/a, which still has the content that the client sent") !=
        std::string::npos);
}

TEST_CASE("a file of the machine with other content meets insist.write, and one with the same bytes does not") {
  const Shared dir;
  for (const std::string script : {"echo new >a", "printf ALPHA >a", "echo more >>a", ": >a", "echo new >.a; mv .a a",
                                   "cp b a", "rm a; touch a; echo x >a", "sed -i s/a/b/ a"}) {
    CAPTURE(script);
    CHECK(dir.writes_a(script) == kMet);
  }
  for (const std::string script : {"true", "touch a", "printf alpha >a", "echo x >b", "cat a", "rm a",
                                   "echo wrote a >&2", "echo x >a; printf alpha >a"}) {
    CAPTURE(script);
    CHECK(dir.writes_a(script) == kMissed);
  }
  const Ran made = run("echo made >" + dir.path() + "/sub/new", [&] {
    std::filesystem::create_directory(dir.path() + "/sub");
    REQUIRE(::chmod((dir.path() + "/sub").c_str(), 0777) == 0);
    return dir.writing("**/new");
  }());
  CHECK(made.code == kMet);
  CHECK(made.ledger == "write: wrote " + dir.path() + "/sub/new\n");
  const Ran same = run("printf alpha >" + dir.path() + "/a", dir.writing("a"));
  CHECK(same.message.find("/a, which was written with unchanged content") != std::string::npos);
}

TEST_CASE("writes of other processes on the machine do not meet an insist") {
  const Shared dir;
  auto running = start("cd " + dir.path() + "; cat a; " + kHold, dir.writing("a"));
  CHECK(held());
  outside_as(slot_uid(), "echo another >" + dir.path() + "/a");
  let_go();
  CHECK(running.get().code == kMissed);
  CHECK(outside("cat " + dir.path() + "/a") == "another");
}

TEST_CASE("a file that was moved to the name without a write does not count as written") {
  const Shared dir;
  CHECK(dir.writes_a("mv b a") == kMissed);
}

TEST_CASE("insist.write on more bytes than can be compared stops the run before the script") {
  const Shared dir;
  const std::string large = dir.put("large", "", 0666);
  std::filesystem::resize_file(large, (256u << 20) + 1);
  const Ran ran = run("echo ran", dir.writing("large"));
  CHECK(ran.code == "LIMIT_EXCEEDED");
  CHECK(ran.out == "");
}
