// The caller's files: copied in, and allowed changes returned.
#include <doctest/doctest.h>

#include "tests/promises/sandbox.h"

using namespace band::test;

namespace {

With files(std::vector<File> in, std::vector<std::string> write = {}) {
  With with;
  with.files = std::move(in);
  with.write = std::move(write);
  return with;
}

using Names = std::vector<std::string>;
Names names_of(const Ran& ran) {
  Names names;
  for (const File& file : ran.files) names.push_back(file.path);
  return names;
}

}  // namespace

TEST_CASE("a file of the workspace that the ceiling denies is refused, and the error names the file and the rule") {
  With with;
  with.read = {"./**"};
  with.files = {{"a.key", "secret"}, {"b.md", "text"}};
  CHECK(inside("cat a.key", with) == "secret");  // the control
  with.ceiling_deny_read = {"./**/*.key"};
  const Ran ran = run("cat a.key", with);
  CHECK(ran.code == "PERMISSION_DENIED");
  CHECK(ran.out.empty());
  CHECK(ran.message.find("a.key") != std::string::npos);
  CHECK(ran.message.find("./**/*.key") != std::string::npos);
  with.files = {{"b.md", "text"}};
  CHECK(inside("cat b.md", with) == "text");
}

TEST_CASE(
    "the answer names the rule of the ceiling that refuses a changed file, and names files that are not regular "
    "files") {
  With with;
  with.write = {"./**"};
  with.deny_write = {"./own"};
  with.ceiling_deny_write = {"./**/*.exe"};
  const Ran ran = run("echo x > a.exe; echo x > b.md; echo x > own; ln -s b.md c.md; mkfifo d.md", with);
  CHECK(ran.code == "OK");
  REQUIRE(ran.files.size() == 1);
  CHECK(ran.files.front().path == "b.md");
  CHECK(ran.not_written == std::vector<std::string>{"a.exe", "c.md", "d.md", "own"});
  REQUIRE(ran.refused.size() == 3);  // the caller's own rule denies `own`
  CHECK(ran.refused[0].find("a.exe: the server's ceiling denies it: deny.write \"./**/*.exe\"") == 0);
  CHECK(ran.refused[1] == "c.md: it is a symbolic link");
  CHECK(ran.refused[2] == "d.md: it is a FIFO");
}

TEST_CASE("a script starts in the workspace, which contains the shipped files with their modes") {
  const With with = files({{"a.txt", "alpha", 0640}, {"deep/er/b.sh", "beta", 0755}});
  CHECK(inside("pwd; cat a.txt; echo; cat deep/er/b.sh; echo; stat -c '%a %U %n' a.txt deep/er/b.sh", with) ==
        "/work\nalpha\nbeta\n640 band-runner a.txt\n755 band-runner deep/er/b.sh");
}

TEST_CASE("setuid and setgid bits of shipped files are dropped") {
  CHECK(inside("stat -c %a a", files({{"a", "x", 06755}})) == "755");
}

TEST_CASE("created and changed files that `write` allows are returned") {
  const Ran ran = run("echo new >out/new; echo changed >out/old; cat out/same >out/x; mv out/x out/same",
                      files({{"out/old", "old"}, {"out/same", "same"}}, {"./out/**"}));
  CHECK(ran.code == "OK");
  CHECK(names_of(ran) == Names{"out/new", "out/old"});
  CHECK(ran.files[0].content == "new\n");
  CHECK(ran.files[1].content == "changed\n");
  CHECK(ran.not_written.empty());
  CHECK(ran.ledger.find("write: wrote out/new\n") != std::string::npos);
}

TEST_CASE("a large file of the same size is returned if its last byte was changed, and not if nothing was changed") {
  const std::string large(600'000, 'x');
  const Ran ran = run("printf y | dd of=a bs=1 seek=599999 conv=notrunc status=none; touch b",
                      files({{"a", large}, {"b", large}}, {"./**"}));
  REQUIRE(names_of(ran) == Names{"a"});
  CHECK(ran.files[0].content == large.substr(1) + "y");
}

TEST_CASE("a changed file is returned with the mode with which it was shipped, and a new file with 0644") {
  const Ran ran = run("echo x >a; chmod 777 a; echo y >b; chmod 755 b", files({{"a", "", 0600}}, {"./*"}));
  REQUIRE(ran.files.size() == 2);
  CHECK(ran.files[0].mode == 0600);
  CHECK(ran.files[1].mode == 0644);
}

TEST_CASE("modification times of shipped files are kept, and those of changed files are returned") {
  With with = files({{"old", "o", 0644, 5'000'001}, {"new", "n", 0644, 1'700'000'000'000'000}}, {"./**"});
  with.files.push_back({"unknown", "u"});
  const Ran ran =
      run("stat -c '%n %.Y' old new; find . -type f -newermt '1 minute ago'; touch -d @1000000000.123456789 new; "
          "echo changed >old; touch -d @1600000000.123456789 old",
          with);
  CHECK(ran.out == "old 5.000001000\nnew 1700000000.000000000\n./unknown");
  REQUIRE(names_of(ran) == Names{"old"});  // a different time alone is not a change
  CHECK(ran.files[0].modified_us == 1'600'000'000'123'456);
}

TEST_CASE("removals, renames and mode changes are named in the answer, and not applied to the caller's files") {
  const Ran ran =
      run("rm gone; mv before after; mkdir d; mv f d/f; chmod 755 build; echo x >tool; chmod 755 tool; ln kept more",
          files({{"gone", ""}, {"before", ""}, {"f", "f"}, {"build", ""}, {"kept", "k"}}, {"./tool"}));
  CHECK(ran.removed == Names{"gone"});
  CHECK(ran.renamed == Names{"before to after", "f to d/f"});
  CHECK(ran.mode_changed == Names{"build", "tool"});
  CHECK(ran.not_written == Names{"after", "d/f", "more"});
  CHECK(names_of(ran) == Names{"tool"});
  CHECK(ran.ledger.find("workspace: removed gone in the copy only\n") != std::string::npos);
  CHECK(ran.ledger.find("workspace: renamed before to after in the copy only\n") != std::string::npos);
  const Ran quiet =
      run("cat gone; mv before x; mv x before; echo new >t; mv t gone", files({{"gone", ""}, {"before", ""}}));
  CHECK(quiet.removed.empty());
  CHECK(quiet.renamed.empty());
  CHECK(quiet.mode_changed.empty());
}

TEST_CASE("a file that was renamed to an invalid name is reported as removed, without the new name") {
  const Ran ran = run("mv a $'bad\\nname'", files({{"a", "x"}}, {"./**"}));
  CHECK(ran.removed == Names{"a"});
  CHECK(ran.renamed.empty());
}

TEST_CASE("at most a hundred changes of each kind are named, and the others are counted") {
  With with = files({});
  for (int i = 0; i < 130; ++i) with.files.push_back({"f" + std::to_string(i), ""});
  const Ran ran = run("rm f*; for i in {1..120}; do echo >n$i; done", with);
  CHECK(ran.removed.size() == 100);
  CHECK(ran.not_written.size() == 100);
  CHECK(ran.unnamed == 50);
}

TEST_CASE("a changed file that `write` does not allow is named, and not returned") {
  const Ran ran = run("echo x >other; echo y >shipped; echo z >out", files({{"shipped", "s"}}, {"./out"}));
  CHECK(names_of(ran) == Names{"out"});
  CHECK(ran.not_written == Names{"other", "shipped"});
}

TEST_CASE("a denied file is not returned, even if an allow rule of `write` matches it") {
  With with = files({}, {"./**"});
  with.deny_write = {"./keys/**"};
  const Ran ran = run("mkdir keys; echo x >keys/a; echo y >b", with);
  CHECK(names_of(ran) == Names{"b"});
  CHECK(ran.not_written == Names{"keys/a"});
}

TEST_CASE("links, FIFOs and sockets are not returned") {
  const Ran ran =
      run("ln -s /etc/passwd link; mkfifo fifo; band-probe talk-unix ./socket; echo x >file", files({}, {"./**"}));
  CHECK(names_of(ran) == Names{"file"});
  CHECK(ran.not_written == Names{"fifo", "link", "socket"});
}

TEST_CASE("empty directories that the script made are named, and not those whose files it removed") {
  const Ran ran =
      run("mkdir -p a/b full; echo x >full/file; rm kept/file; ls -d kept", files({{"kept/file", "k"}}, {"./**"}));
  CHECK(ran.out == "kept");  // the control: it is empty, too
  CHECK(names_of(ran) == Names{"full/file"});
  CHECK(ran.not_written == Names{"a/b/"});
  CHECK(ran.removed == Names{"kept/file"});
  const Ran many = run("for i in {1..110}; do mkdir d$i; done; echo x >z", files({}));
  CHECK(many.not_written.size() == 100);
  CHECK(many.not_written.front() == "z");  // files come first
  CHECK(many.unnamed == 11);
}

TEST_CASE("a directory that was replaced by a link is not followed") {
  const Ran ran = run("mv d e; ln -s /etc d; echo x >e/f", files({{"d/f", "f"}}, {"./**"}));
  CHECK(names_of(ran) == Names{"e/f"});
  CHECK(ran.not_written == Names{"d"});
}

TEST_CASE("a file that programs execute or obey is returned only if a rule spells its name") {
  const std::string makes =
      "mkdir -p .claude .vscode x; touch .claude/settings.json .claude/notes .vscode/tasks.json x/gradle-wrapper.jar "
      "x/OpenCode.json x/plain; for f in .claude/* .vscode/* x/*; do echo x >\"$f\"; done";
  const Ran wide = run(makes, files({}, {"./**", "./.claude/**", "./x/**"}));
  CHECK(names_of(wide) == Names{".claude/notes", "x/plain"});
  CHECK(wide.not_written ==
        Names{".claude/settings.json", ".vscode/tasks.json", "x/OpenCode.json", "x/gradle-wrapper.jar"});
  const Ran spelled = run(
      makes, files({}, {"./.claude/settings.json", "./.vscode/**", "./**/gradle-wrapper.jar", "./x/OpenCode.json"}));
  CHECK(names_of(spelled) ==
        Names{".claude/settings.json", ".vscode/tasks.json", "x/OpenCode.json", "x/gradle-wrapper.jar"});
}

TEST_CASE("a rule with a wildcard does not return files whose names begin with a dot") {
  const Ran ran = run("mkdir .git; echo x >.git/config; echo y >.bashrc; echo z >seen", files({}, {"./**"}));
  CHECK(names_of(ran) == Names{"seen"});
  CHECK(ran.not_written == Names{".bashrc", ".git/config"});
}

TEST_CASE("files with control characters or invalid UTF-8 in their names are not returned") {
  const Ran ran = run("echo x >$'a\\nb'; echo x >$'a\\xff'; echo y >ok", files({}, {"./**"}));
  CHECK(names_of(ran) == Names{"ok"});
}

TEST_CASE("a failed script returns no files") {
  const Ran ran = run("echo x >a; exit 1", files({}, {"./**"}));
  CHECK(ran.code == "SCRIPT_FAILED");
  CHECK(ran.files.empty());
}

TEST_CASE("files that `write` allows are returned after a failed run if the request has keepPartial") {
  With with = files({{"in", "1"}}, {"./out/**"});
  with.keep_partial = true;
  const std::string work = "mkdir out; echo half >out/a; echo x >b; ";
  const Ran failed = run(work + "exit 1", with);
  CHECK(failed.code == "SCRIPT_FAILED");
  CHECK(names_of(failed) == Names{"out/a"});
  CHECK(failed.not_written == Names{"b"});
  with.limits["maxRuntimeMs"] = 500;
  const Ran late = run(work + "sleep 20", with);
  CHECK(late.code == "TIMEOUT");
  CHECK(names_of(late) == Names{"out/a"});
  with.keep_partial = false;
  CHECK(names_of(run(work + "sleep 20", with)).empty());
}

TEST_CASE("if the shipped files exceed maxDiskBytes, the run fails with an error that names the limit") {
  With with = files({{"big", std::string(3 << 20, 'x')}});
  CHECK(inside("stat -c %s big", with) == "3145728");
  with.limits["maxDiskBytes"] = 1 << 20;
  const Ran ran = run("echo", with);
  CHECK(ran.code == "LIMIT_EXCEEDED");
  CHECK(ran.message.find("maxDiskBytes") != std::string::npos);
}

TEST_CASE("if the changed files exceed the limits, the run fails, and none of the files is returned") {
  With with = files({}, {"./**"});
  with.limits["maxFiles"] = 20;
  CHECK(run("for i in {1..10}; do echo x >f$i; done", with).files.size() == 10);
  with.limits["maxDiskBytes"] = 4 << 20;
  const Ran ran = run("truncate -s 3M a; truncate -s 3M b", with);  // sparse: they use no space here
  CHECK(ran.code == "LIMIT_EXCEEDED");
  CHECK(ran.files.empty());
  CHECK(
      ran.message.find(
          "2 files with 6291456 bytes in all (a sparse file counts with its length); limit.maxDiskBytes is 4194304") !=
      std::string::npos);
  CHECK(ran.hint.find("raise limit.maxDiskBytes") == 0);
  // Raising it would not help, because another limit is exceeded, too: the error names that one.
  const Ran more = run("truncate -s 3500K f{1..20}", with);
  CHECK(more.message.find("(64 MiB) can be sent back, regardless of limit.maxDiskBytes") != std::string::npos);
  CHECK(more.hint.find("raise") == std::string::npos);
}

TEST_CASE("shipped files have their shipped modes, and the script can read each file that its owner may read") {
  With with;
  for (const unsigned mode : {0400u, 0444u, 0600u, 0640u, 0755u}) {
    const std::string name = outside("printf %o " + std::to_string(mode));
    with.files.push_back({name, "x", mode});
  }
  CHECK(inside("stat -c '%n %a %U' *; cat *", with) ==
        "400 400 band-runner\n444 444 band-runner\n600 600 band-runner\n640 640 band-runner\n755 755 "
        "band-runner\nxxxxx");
}

TEST_CASE("files that are not returned do not count towards the limit of returned files") {
  With with = files({{"in.txt", "x"}}, {"./out"});
  with.limits["maxDiskBytes"] = 128 << 20;
  const Ran ran = run("truncate -s 100M in.txt; echo y >out", with);
  CHECK(ran.code == "OK");
  CHECK(ran.files.size() == 1);
  CHECK(ran.not_written == std::vector<std::string>{"in.txt"});
}

TEST_CASE("at most 64 MiB of files are returned, regardless of maxDiskBytes") {
  With with = files({}, {"./**"});
  with.limits["maxDiskBytes"] = 512 << 20;
  const Ran fits = run("truncate -s 32M a; truncate -s 32M b", with);
  CHECK(fits.code == "OK");
  CHECK(fits.files.size() == 2);
  for (const char* more : {"truncate -s 32M a b; echo x >c", "truncate -s 65M a"}) {
    const Ran ran = run(more, with);
    CHECK(ran.code == "LIMIT_EXCEEDED");
    CHECK(ran.message.find("at most 67108864 bytes (64 MiB) can be sent back") != std::string::npos);
    CHECK(ran.files.empty());
  }
}

TEST_CASE("shipped paths outside the workspace are refused") {
  for (const char* path : {"../x", "/etc/x", "a/../../x", "a//b", ".", ""}) {
    CAPTURE(path);
    CHECK(run("echo", files({{path, "x"}})).code == "BAD_REQUEST");
  }
}

TEST_CASE("deeply nested directories do not crash the server") {
  const Ran ran = run("p=.; for i in {1..400}; do mkdir d; cd d || break; done; echo x >f", files({}, {"./**"}));
  CHECK(ran.slot_usable);
  CHECK(ran.files.empty());
}
