// Files that are not shipped or not written back are reported in notes and in --json.
#include <fcntl.h>
#include <sys/stat.h>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

std::string end_with_output(const std::string& source) { return source + "\n" + kEmptyOutput; }

}  // namespace

TEST_CASE("files that allow.read names and that are not shipped are a note of every run, and in --json") {
  const Caller caller(shared_server());
  write_file(caller.work("a.txt"), "a");
  write_file(caller.work("bad\nname.txt"), "b");
  REQUIRE(::mkfifo(caller.work("pipe.txt").c_str(), 0644) == 0);
  REQUIRE(::symlink("/etc/passwd", caller.work("out.txt").c_str()) == 0);
  caller.script("tool/go", kEmptyOutput, "allow: {read: [\"./*.txt\", \"./data/*.csv\"]}");
  const Ran ran = caller.band({"run", "tool/go"});
  REQUIRE_STATUS(ran, 0);
  CHECK(ran.out == "{}\n");
  CHECK_HAS(ran.err, "note: not sent: bad\\nname.txt has a name that cannot be sent");
  CHECK_HAS(ran.err, "note: not sent: out.txt is a link that points outside the workspace");
  CHECK_HAS(ran.err, "note: not sent: pipe.txt is not a regular file");
  CHECK_HAS(ran.err, "note: allow.read `./data/*.csv` (tool/scripts/go/BAND.md:");
  CHECK_HAS(ran.err, "matched no file in " + caller.work("").substr(0, caller.work("").size() - 1));
  const Ran json = caller.band({"run", "tool/go", "--json", "--quiet"});
  CHECK(json.err.empty());
  CHECK_HAS(json.out, R"("leftOut":[{"path":"bad\nname.txt","why":)");
  CHECK_HAS(json.out, R"("unmatched":["./data/*.csv"])");
  // The control: without such files there is no note.
  CHECK(caller.run(kEmptyOutput, "allow: {read: [\"./a.txt\", {path: ./none.txt, optional: true}]}").err.empty());
}

TEST_CASE("names that only their dot closes are one note with the line to write, and in --json") {
  const Caller caller(shared_server());
  for (const char* name : {"d/doc.xml", "d/_rels/.rels", "d/.cache/a"}) write_file(caller.work(name), "x");
  const std::string source = "find d -type f | sort | tr '\\n' ' ' >&2\n" + std::string(kEmptyOutput);
  caller.script("tool/go", source, "allow: {read: [\"./d/**\"]}");
  const Ran ran = caller.band({"run", "tool/go", "--verbose"});
  CHECK_HAS(ran.err,
            "note: not sent: d/.cache/, d/_rels/.rels: wildcards match no name that begins with a dot; name those that "
            "the script needs (some have credentials): write in tool/scripts/go/BAND.md, to allow.read (line 3):  "
            "\"./d/.cache/**\", \"./d/_rels/.rels\"\n");
  CHECK_HAS(ran.err, "d/doc.xml \n");
  CHECK_HAS(caller.band({"run", "tool/go", "--json"}).out,
            R"("leftOut":[{"path":"d/.cache/","why":"begins with a dot)");
  const Ran named =
      caller.run(source, "allow: {read: [\"./d/**\", \"./d/.cache/**\", \"./d/_rels/.rels\"]}", {"--verbose"});
  CHECK_HAS_NOT(named.err, "not sent");
  CHECK_HAS(named.err, "d/.cache/a d/_rels/.rels d/doc.xml");
  const Ran exec = caller.band({"exec", "--read", "d/", "--read", "d/.cache/", "--", "find", "d", "-type", "f"});
  CHECK_HAS(exec.out, "d/.cache/a");
  CHECK_HAS(exec.err, "note: not sent: d/_rels/.rels: ");
  CHECK_HAS(exec.err, "(some have credentials): `--read d/_rels/.rels`\n");
}

TEST_CASE("removals, renames and new modes of a script are notes, are in --json, and are not applied") {
  const Caller caller(shared_server());
  for (const char* name : {"a.txt", "b.txt", "c.txt"}) write_file(caller.work(name), name);
  caller.script("tool/go", end_with_output("rm a.txt; mv b.txt d.txt; chmod 755 c.txt"),
                "allow: {read: [\"./*.txt\"], write: [\"./d.txt\"]}");
  const Ran ran = caller.band({"run", "tool/go", "--explain"});
  REQUIRE_STATUS(ran, 0);
  CHECK_HAS(ran.err, "note: the script removed 1 file; in the workspace band removes nothing: a.txt\n");
  CHECK_HAS(ran.err, "note: the script renamed 1 file; in the workspace band renames nothing: b.txt to d.txt\n");
  CHECK_HAS(ran.err, "note: the script set the mode of 1 file; modes are not written back: c.txt\n");
  CHECK_HAS(ran.err, "workspace: removed a.txt in the copy only");
  for (const char* name : {"a.txt", "b.txt", "c.txt", "d.txt"}) CHECK(exists(caller.work(name)));
  ::unlink(caller.work("d.txt").c_str());
  const Ran json = caller.band({"run", "tool/go", "--json"});
  CHECK_HAS(json.out, R"("removed":["a.txt"],"renamed":[{"from":"b.txt","to":"d.txt"}],"modeChanged":["c.txt"])");
}

TEST_CASE("make and find use the times of the caller's files, and a result is newer than its source") {
  const Caller caller(shared_server());
  write_file(caller.work("old.txt"), "old");
  write_file(caller.work("new.txt"), "new");
  const timespec day_ago[] = {{0, UTIME_OMIT}, {::time(nullptr) - 86'400, 0}};
  REQUIRE(::utimensat(AT_FDCWD, caller.work("old.txt").c_str(), day_ago, 0) == 0);
  const Ran ran =
      caller.run("find . -mmin +60 | jq -R . > \"$OUTPUT_PATH\"; echo more >> old.txt; touch -d '2 days ago' old.txt",
                 "allow: {read: [\"./*.txt\"], write: [\"./old.txt\"]}");
  REQUIRE_STATUS(ran, 0);
  CHECK(ran.out == "\"./old.txt\"\n");
  struct stat info {};
  REQUIRE(::stat(caller.work("old.txt").c_str(), &info) == 0);
  CHECK(info.st_mtime > day_ago[1].tv_sec + 80'000);  // changed: never older than before
}

TEST_CASE("an existing file that only write names is refused before the script starts") {
  const Caller caller(shared_server());
  write_file(caller.work("report.txt"), "old");
  caller.script("tool/go", end_with_output("echo new > report.txt"), "allow: {write: [\"./report.txt\"]}");
  const Ran ran = caller.band({"run", "tool/go"});
  CHECK_STATUS(ran, 5);
  CHECK_HAS(ran.err, "error: report.txt exists in the workspace, `write` names it, and it is not sent to the script");
  CHECK_HAS(ran.err, "hint: allow it in allow.read, too, as `{path: ./report.txt, optional: true}`");
  CHECK_HAS(caller.band({"validate", caller.skills() + "/tool"}).err, "name it in `read`, too");
  CHECK(read_file(caller.work("report.txt")) == "old");
  ::unlink(caller.work("report.txt").c_str());
  CHECK_STATUS(caller.band({"run", "tool/go"}), 0);  // the control: the first run
  // With the proposed remedy every run works without a note, also the first one.
  caller.script("tool/both", end_with_output("echo new > both.txt"),
                "allow: {read: [{path: ./both.txt, optional: true}], write: [\"./both.txt\"]}");
  for (int i = 0; i < 2; ++i) {
    const Ran both = caller.band({"run", "tool/both", "--quiet"});
    CHECK_STATUS(both, 0);
    CHECK(both.err.empty());
  }
  write_file(caller.work("out/a"), "old");
  const Ran wild = caller.run(end_with_output("mkdir -p out; echo b > out/b"), "allow: {write: [\"./out/**\"]}");
  CHECK_STATUS(wild, 0);
  CHECK_HAS(
      wild.err,
      "note: allow.write allows 1 file of the workspace that allow.read does not allow; a run that changes such a "
      "file fails: out/a\n");
}

TEST_CASE("a failed script shows the ends of both logs; a successful one gets a note about stderr") {
  const Caller caller(shared_server());
  const Ran bad = caller.run("for i in {1..50}; do echo out $i; done; printf 'ten\\rtwenty\\rlast\\n' >&2; exit 1");
  CHECK_STATUS(bad, 1);
  CHECK_HAS(bad.err, "--- stdout of tool/go, the end (50 lines; --json has all of it)\nout 31\n");
  CHECK_HAS(bad.err, "out 50\n--- stderr of tool/go\nten\ntwenty\nlast\n---\n");
  const Ran good = caller.run(end_with_output("echo one >&2; echo two >&2; echo out"));
  CHECK_STATUS(good, 0);
  CHECK_HAS(good.err, "note: tool/go wrote 2 lines to stderr; --verbose shows them\n");
  CHECK_HAS_NOT(good.err, "two");
  CHECK(caller.run(end_with_output("echo out")).err.empty());
}

TEST_CASE("the end of a very long log is shown, with the size of the missing part") {
  const Caller caller(shared_server());
  const Ran bad = caller.run("yes 0123456789abcdef0123456789abcdef | head -n 100000; echo the end; exit 1");
  CHECK_STATUS(bad, 1);
  CHECK_HAS(bad.err, "the end\n---\n");
  CHECK_HAS(bad.err, " that were not kept; --json has the rest)");
}

TEST_CASE("--keep-partial keeps files of a failed or killed run, under the rules of the write-back") {
  const Caller caller(shared_server());
  const std::string kept = caller.home("kept");
  caller.script("tool/go", "mkdir -p out; echo half > out/a; echo x > other; exit 1", "allow: {write: [\"./out/**\"]}");
  const Ran ran = caller.band({"run", "tool/go", "--keep-partial", kept});
  CHECK_STATUS(ran, 1);
  CHECK_HAS(ran.err, "kept 1 file of the failed run in " + kept + ": out/a\n");
  CHECK(read_file(kept + "/out/a") == "half\n");
  CHECK(!exists(kept + "/other"));
  CHECK(!exists(caller.work("out")));
  // Existing files are not overwritten: the run does not start.
  const Ran again = caller.band({"run", "tool/go", "--keep-partial", kept});
  CHECK_STATUS(again, 2);
  CHECK_HAS(again.err, "is not empty");
  CHECK_STATUS(caller.band({"run", "tool/go", "--keep-partial", caller.home("none/kept")}), 2);
  // A git repository is refused, as in the workspace.
  caller.script("tool/git",
                "mkdir -p out/objects out/refs; echo x | tee out/objects/x > out/refs/x; echo y > out/HEAD; exit 1",
                "allow: {write: [\"./out/**\"]}");
  const Ran git = caller.band({"run", "tool/git", "--keep-partial", caller.home("git")});
  CHECK_STATUS(git, 1);
  CHECK_HAS(git.err, "git");
  CHECK(!exists(caller.home("git/out")));
  // Links are not followed, and a new directory may end with a slash.
  REQUIRE(::symlink(caller.home("").c_str(), caller.home("link").c_str()) == 0);
  CHECK_STATUS(caller.band({"run", "tool/go", "--keep-partial", caller.home("link")}), 2);
  CHECK_STATUS(caller.band({"run", "tool/go", "--keep-partial", caller.home("slash/")}), 1);
  CHECK(read_file(caller.home("slash/out/a")) == "half\n");
  // A successful run does not change the directory.
  caller.script("tool/good", end_with_output("mkdir out; echo a > out/a"), "allow: {write: [\"./out/**\"]}");
  CHECK_STATUS(caller.band({"run", "tool/good", "--keep-partial", caller.home("good")}), 0);
  CHECK(!exists(caller.home("good")));
}

TEST_CASE("an existing file that is not opened is named when a script does not find it") {
  const Caller caller(shared_server());
  write_file(caller.work("data/in.csv"), "1");
  write_file(caller.work("ok.txt"), "1");
  const char* band = "allow: {read: [\"./ok.txt\"]}";
  for (const char* source :
       {"cat data/in.csv", "cat ./data/in.csv", "cat /work/data/in.csv", "cat < data/in.csv",
        "echo \"FileNotFoundError: [Errno 2] No such file or directory: 'data/in.csv'\"; exit 1"}) {
    CAPTURE(source);
    const Ran ran = caller.run(source, band);
    CHECK_STATUS(ran, 1);
    CHECK_HAS(ran.err,
              "data/in.csv is in the workspace and is not sent to the sandbox; write in tool/scripts/go/BAND.md, to "
              "allow.read (line 3):  \"./data/in.csv\"");
  }
  const Ran json = caller.run("cat data/in.csv", band, {"--json"});
  CHECK_HAS(json.out, "is in the workspace and is not sent to the sandbox; write in ");
  const Ran other = caller.run("cat data/none.csv ../../etc/passwd", band);
  CHECK_STATUS(other, 1);
  CHECK_HAS_NOT(other.err, "is in the workspace");
}
