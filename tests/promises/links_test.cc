// Rules whose path contains a symbolic link, and rules whose path may be missing.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/promises/sandbox.h"

using namespace band::test;
namespace fs = std::filesystem;

namespace {

const char* const kAbsent = "refused: No such file or directory";

void link_to(const std::string& target, const std::string& path, uid_t owner = 0) {
  REQUIRE(::symlink(target.c_str(), path.c_str()) == 0);
  REQUIRE(::lchown(path.c_str(), owner, owner) == 0);
}

// A directory in the machine's /usr, with its name through the machine's own link to there.
struct InUsr : Directory {
  explicit InUsr(const std::string& top) : Directory("/usr" + top + "/band-test-XXXXXX"), name(path().substr(4)) {
    put("sub/a", "alpha", 0666);
    put("sub/secret", "s", 0666);
    outside("chmod -R a+rwX " + path());
  }
  const std::string name;
};

}  // namespace

TEST_CASE("a rule whose path contains links of root works") {
  const Directory dir, other;
  other.put("sub/a", "alpha");
  other.put("b", "beta");
  link_to(other.path(), dir.path() + "/absolute");
  link_to("../" + other.path().substr(5) + "/sub", dir.path() + "/relative");
  link_to("./relative/../b", dir.path() + "/file");  // `..` of the link's target
  CHECK(inside("cat " + dir.path() + "/absolute/sub/a; ls " + dir.path() + "; try ls " + other.path(),
               reading({dir.path() + "/absolute/**"})) == std::string("alphaabsolute\n") + kAbsent);
  CHECK(inside("cat " + dir.path() + "/relative/a", reading({dir.path() + "/relative/*"})) == "alpha");
  CHECK(inside("cat " + dir.path() + "/file", reading({dir.path() + "/file"})) == "beta");
  CHECK(inside("cd " + dir.path() + "; cat absolute/sub/a relative/a file",
               reading({dir.path() + "/**", dir.path() + "/absolute/sub/a", dir.path() + "/relative/**",
                        dir.path() + "/file"})) == "alphaalphabeta");
}

TEST_CASE("a rule whose path begins with /bin, /lib or /sbin works, in scripts and in commands") {
  for (const std::string top : {"/lib", "/bin", "/sbin"}) {
    CAPTURE(top);
    REQUIRE(fs::is_symlink(top));
    const InUsr dir(top);
    const std::string file = dir.name + "/sub/a";
    CHECK(outside("cat " + file) == "alpha");
    CHECK(inside("try cat " + file) == kAbsent);  // the control
    CHECK(inside("cat " + file, reading({file})) == "alpha");
    CHECK(inside("cat " + dir.path() + "/sub/a", reading({dir.path() + "/**"})) == "alpha");
    With with = reading({dir.name + "/**"}, {dir.name + "/sub/secret"});
    const std::string script = "cat " + file + " " + dir.path() + "/sub/a; ls " + dir.name + "/sub";
    CHECK(inside(script, with) == "alphaalphaa");
    CHECK(inside("try touch " + dir.name + "/new", with) == "refused: Read-only file system");
    with.cli = {"python3 *"};
    CHECK(inside("python3 -c 'import os; print(open(\"" + file + "\").read(), os.listdir(\"" + dir.name + "/sub\"))'",
                 with) == "alpha ['a']");
    With optional;
    optional.optional_read = {dir.name + "/**", top + "/band-test-missing/**"};
    CHECK(inside("cat " + file, optional) == "alpha");
  }
}

TEST_CASE(
    "a directory below /lib can be declared for writing and insisted on, and a part of it can be denied as /lib/X and "
    "as /usr/lib/X") {
  const InUsr dir("/lib");
  With with = reading({dir.name + "/**"});
  with.write = with.read;
  with.insist_write = {dir.name + "/report"};
  CHECK(inside("cd " + dir.name + "; echo x >report; try touch sub/new; rm sub/new; cat report", with) == "did\nx");
  CHECK(outside("cat " + dir.path() + "/report; rm " + dir.path() + "/report") == "x");
  CHECK(run("true", with).code == "INSIST_NOT_SATISFIED");
  with.insist_write = {};
  for (const std::string& deny : {dir.name + "/sub", dir.path() + "/sub"}) {
    CAPTURE(deny);
    with.deny_write = {deny};
    CHECK(inside("cd " + dir.name + "; try touch new; try touch sub/new; cat sub/a", with) ==
          "did\nrefused: Read-only file system\nalpha");
  }
}

TEST_CASE("rules that name one directory as /lib/X and as /usr/lib/X are combined") {
  const InUsr dir("/lib");
  With with = reading({dir.path() + "/**"});
  with.write = {dir.name + "/**"};
  const std::string script = "cd " + dir.name + "; cat sub/a; try touch new; try touch " + dir.path() + "/sub/new";
  CHECK(inside(script, with) == "alphadid\ndid");
  with.deny_write = {dir.path() + "/sub"};
  CHECK(inside(script, with).find("did\nrefused: Read-only file system") != std::string::npos);
  CHECK(outside("ls " + dir.path() + "/new") == dir.path() + "/new");
}

TEST_CASE(
    "a rule for a path below a link, in a directory that another rule declares, is refused with a hint what to write "
    "instead") {
  const InUsr dir("/lib");
  const Directory other;
  other.put("a", "alpha");
  link_to(other.path(), dir.path() + "/link");
  const std::string behind = "/link/**";
  CHECK(inside("cat " + dir.name + "/link/a", reading({dir.name + "/**", dir.name + behind})) ==
        "alpha");  // the control
  const Ran ran = run("echo ran", reading({dir.path() + "/**", dir.name + behind}));
  CHECK(ran.code == "SANDBOX_UNAVAILABLE");
  CHECK(ran.hint.find("write the path of the link's target") != std::string::npos);
}

TEST_CASE("a rule for a path that the sandbox has itself is refused, and the error states this reason") {
  for (const std::string rule : {"/bin/bash", "/usr/bin/bash", "/bin/**", "/lib/**", "/lib64/**", "/sbin/**"}) {
    CAPTURE(rule);
    const Ran ran = run("echo ran", reading({rule}));
    CHECK(ran.code == "SANDBOX_UNAVAILABLE");
    CHECK(ran.message.find("the sandbox has its own file at this path") != std::string::npos);
    CHECK(ran.hint.find("needs no rule") != std::string::npos);
    CHECK(ran.out == "");
  }
}

TEST_CASE("a directory that is declared through a link can be written and insisted on") {
  const Directory dir, other;
  REQUIRE(::chmod(other.path().c_str(), 0777) == 0);
  link_to(other.path(), dir.path() + "/link");
  With with;
  with.insist_write = {dir.path() + "/link/report"};
  with.read = with.write = {dir.path() + "/link/**"};
  CHECK(inside("cd " + dir.path() + "/link; echo x >report; cat report", with) == "x");
  CHECK(outside("cat " + other.path() + "/report; rm " + other.path() + "/report") == "x");
  CHECK(run("true", with).code == "INSIST_NOT_SATISFIED");
}

TEST_CASE("a deny rule on a link, or on the target of the link, denies the target") {
  const Directory dir, other;
  REQUIRE(::chmod(other.path().c_str(), 0777) == 0);
  other.put("a", "alpha", 0666);
  other.put("secret/key", "s", 0666);
  link_to(other.path(), dir.path() + "/link");
  const std::string link = dir.path() + "/link";
  CHECK(inside("cd " + link + "; cat a secret/key", reading({link + "/**"})) == "alphas");  // the control
  for (const std::string& deny :
       {link + "/secret", other.path() + "/secret", other.path() + "/secret/key", other.path() + "/**/key"}) {
    CAPTURE(deny);
    CHECK(inside("cd " + link + "; cat a; try cat secret/key", reading({link + "/**"}, {deny})) ==
          std::string("alpha") + kAbsent);
  }
  // A deny on the link's name closes the target.
  CHECK(inside("cd " + other.path() + "; cat a; try cat secret/key",
               reading({other.path() + "/**"}, {link + "/secret"})) == std::string("alpha") + kAbsent);
  // Writing, with a deny on the target's name.
  With with = reading({link + "/**"});
  with.write = with.read;
  with.deny_write = {other.path() + "/secret"};
  CHECK(inside("cd " + link + "; try touch new; try touch secret/new; try bash -c ': >secret/key'; cat secret/key",
               with) == "did\nrefused: Read-only file system\nrefused: Read-only file system\ns");
  with.deny_write = {other.path() + "/**/key"};
  CHECK(run("echo ran", with).code == "SKILL_INVALID");
}

TEST_CASE("a link to a path that the ceiling denies is refused, and the error names both paths") {
  const Directory dir, other;
  other.put("a", "alpha");
  for (const char* closed : {"/etc", "/root", "/proc/self", "/var/lib", "/run"}) {
    CAPTURE(closed);
    const std::string link = dir.path() + "/" + fs::path(closed).filename().string();
    link_to(closed, link);
    const Ran ran = run("echo ran", reading({link + "/**"}));
    CHECK(ran.code == "PERMISSION_DENIED");
    CHECK(ran.message.find(link) != std::string::npos);
    CAPTURE(ran.message);
    // A link in /proc is never followed.
    CHECK(ran.message.find(closed == std::string("/proc/self") ? "kernel file system" : "server's ceiling") !=
          std::string::npos);
    CHECK(ran.out == "");
  }
  // The machine's /tmp cannot be opened by another name.
  link_to(scratch(), dir.path() + "/scratch");
  CHECK(run("echo ran", reading({dir.path() + "/scratch/**"})).message.find("no rule can allow") != std::string::npos);
  link_to("/etc/passwd", dir.path() + "/file");
  CHECK(run("echo ran", reading({dir.path() + "/file"})).message.find("/etc/passwd") != std::string::npos);
  // A ceiling with allow rules must open the target of the link.
  link_to(other.path(), dir.path() + "/link");
  With with = reading({dir.path() + "/link/**"});
  with.ceiling_read = {dir.path() + "/**"};
  CHECK(run("echo ran", with).code == "PERMISSION_DENIED");
  with.ceiling_read.push_back(other.path() + "/**");
  CHECK(inside("cat " + dir.path() + "/link/a", with) == "alpha");
  with.ceiling_deny_read = {other.path() + "/a"};
  CHECK(inside("try cat " + dir.path() + "/link/a", with) == kAbsent);
}

TEST_CASE("a link that another user could have made is refused") {
  const Directory dir, other;
  other.put("a", "alpha");
  const auto code = [&](const std::string& link) { return run("echo ran", reading({link + "/**"})).code; };
  constexpr uid_t kAlice = 65'533, kBob = 65'532;
  REQUIRE(fs::create_directory(dir.path() + "/alice"));
  REQUIRE(::chown((dir.path() + "/alice").c_str(), kAlice, kAlice) == 0);
  link_to(other.path(), dir.path() + "/alice/own", kAlice);
  CHECK(code(dir.path() + "/alice/own") == "OK");
  link_to(other.path(), dir.path() + "/alice/root");
  CHECK(code(dir.path() + "/alice/root") == "OK");
  link_to(other.path(), dir.path() + "/alice/bob", kBob);
  CHECK(code(dir.path() + "/alice/bob") == "PERMISSION_DENIED");
  REQUIRE(::chmod(dir.path().c_str(), 01777) == 0);
  link_to(other.path(), dir.path() + "/sticky", kAlice);
  CHECK(code(dir.path() + "/sticky") == "PERMISSION_DENIED");
  // In a directory that a script made in an earlier run.
  REQUIRE(fs::create_directory(dir.path() + "/slots"));
  REQUIRE(::chown((dir.path() + "/slots").c_str(), slot_uid(), slot_uid()) == 0);
  link_to(other.path(), dir.path() + "/slots/link", slot_uid());
  CHECK(code(dir.path() + "/slots/link") == "PERMISSION_DENIED");
}

TEST_CASE("a script cannot make a link for a later run") {
  const Directory dir, other;
  REQUIRE(::chmod(dir.path().c_str(), 0777) == 0);
  other.put("a", "alpha");
  link_to(other.path(), dir.path() + "/good");
  With with = reading({dir.path() + "/**"});
  with.write = with.read;
  CHECK(inside("cd " + dir.path() +
                   "; try ln -s /etc link; ln -s /etc /tmp/l; try mv /tmp/l link; try mv good link; "
                   "try ln -P good link; ls",
               with) ==
        "refused: Permission denied\nrefused: Permission denied\nrefused: Permission denied\nrefused: Operation not "
        "permitted\n"
        "good");
  CHECK(outside_as(slot_uid(), "cd " + dir.path() + "; try ln -s /etc link") == "did");  // the control
  CHECK(run("echo ran", reading({dir.path() + "/link/**"})).code == "PERMISSION_DENIED");
}

TEST_CASE("at most forty links are followed") {
  const Directory dir, other;
  other.put("a", "alpha");
  link_to(other.path(), dir.path() + "/l1");
  for (int i = 2; i <= 41; ++i) link_to("l" + std::to_string(i - 1), dir.path() + "/l" + std::to_string(i));
  CHECK(inside("cat " + dir.path() + "/l40/a", reading({dir.path() + "/l40/**"})) == "alpha");
  const Ran ran = run("echo ran", reading({dir.path() + "/l41/**"}));
  CHECK(ran.code == "PERMISSION_DENIED");
  CHECK(ran.message.find("40 links") != std::string::npos);
  link_to("circle", dir.path() + "/circle");
  CHECK(run("echo ran", reading({dir.path() + "/circle/**"})).code == "PERMISSION_DENIED");
  link_to("/", dir.path() + "/machine");
  CHECK(run("echo ran", reading({dir.path() + "/machine/**"})).code == "PERMISSION_DENIED");
}

TEST_CASE("a link to a path that the machine's permissions deny to the slot is refused like the path itself") {
  const Directory dir, other;
  other.put("closed/sub/a", "alpha");
  link_to(other.path() + "/closed/sub", dir.path() + "/link");
  CHECK(run("echo ran", reading({dir.path() + "/link/**"})).out == "ran");  // the control
  REQUIRE(::chmod((other.path() + "/closed").c_str(), 0700) == 0);
  const Ran ran = run("echo ran", reading({dir.path() + "/link/**"}));
  CHECK(ran.code == "PERMISSION_DENIED");
  CHECK(ran.hint.find("band-runner") != std::string::npos);
}

TEST_CASE("a link that another process replaces while runs start never shows a denied directory") {
  const Directory dir, good, bad;
  good.put("a", "good");
  bad.put("a", "bad");
  link_to(good.path(), dir.path() + "/link");
  link_to(good.path(), dir.path() + "/good");
  link_to(bad.path(), dir.path() + "/bad");
  With with = reading({dir.path() + "/link/**"});
  with.ceiling_deny_read = {bad.path()};
  const std::string script = "cat " + dir.path() + "/link/a";
  CHECK(inside(script, with) == "good");  // the control
  auto swapping = std::async(std::launch::async, [&] {
    return outside("cd " + dir.path() +
                   "; end=$((SECONDS + 4)); while [ $SECONDS -lt $end ]; do for l in bad good; do "
                   "cp -P $l next; mv -T next link; done; done; echo done");
  });
  int shown = 0, refused = 0;
  while (swapping.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    const Ran ran = run(script, with);
    CHECK(ran.out.find("bad") == std::string::npos);
    shown += ran.out == "good" ? 1 : 0;
    refused += ran.code == "PERMISSION_DENIED" ? 1 : 0;
  }
  CHECK(swapping.get() == "done");
  CHECK(shown > 0);
  CHECK(refused > 0);
}

TEST_CASE("an optional path may be missing, and the ledger notes it") {
  const Directory dir;
  With with;
  with.optional_read = {dir.path() + "/x/**", dir.path() + "/file"};
  with.optional_write = {dir.path() + "/x/out/**"};
  const Ran ran = run("try ls " + dir.path() + "/x", with);
  CHECK(ran.out == kAbsent);
  CHECK(ran.ledger.find("missing: read `" + dir.path() + "/x/**` (test/BAND.md:1) is not on this machine") !=
        std::string::npos);
  CHECK(ran.ledger.find("missing: read `" + dir.path() + "/file`") != std::string::npos);
  CHECK(ran.ledger.find("missing: write `" + dir.path() + "/x/out/**`") != std::string::npos);
  dir.put("x/a", "alpha");
  dir.put("file", "beta");
  fs::create_directory(dir.path() + "/x/out");
  const Ran there = run("cd " + dir.path() + "; cat x/a file", with);
  CHECK(there.out == "alphabeta");
  CHECK(there.ledger == "");
  // A closed path is not missing.
  REQUIRE(::chmod((dir.path() + "/x").c_str(), 0700) == 0);
  CHECK(run("echo ran", with).code == "PERMISSION_DENIED");
}

TEST_CASE("a path is required if one rule requires it, even if other rules mark it optional") {
  const Directory dir;
  With with;
  with.optional_read = {dir.path() + "/x/**"};
  CHECK(run("echo ran", with).out == "ran");  // the control
  with.read = {dir.path() + "/x/**"};
  const Ran ran = run("echo ran", with);
  CHECK(ran.code == "SANDBOX_UNAVAILABLE");
  CHECK(ran.hint.find("optional: true") != std::string::npos);
}

TEST_CASE("a dangling link is treated as a missing path") {
  const Directory dir;
  link_to(dir.path() + "/nowhere", dir.path() + "/link");
  CHECK(run("echo ran", reading({dir.path() + "/link/**"})).code == "SANDBOX_UNAVAILABLE");
  With with;
  with.optional_read = {dir.path() + "/link/**"};
  CHECK(run("echo ran", with).out == "ran");
}
