// Denied and hidden entries inside a directory of the machine that a band opens for writing.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/promises/sandbox.h"

using namespace band::test;

namespace {

const char* const kDenied = "refused: Permission denied";
const char* const kReadOnly = "refused: Read-only file system";
const char* const kAbsent = "refused: No such file or directory";
const char* const kBusy = "refused: Device or resource busy";
const char* const kOtherMount = "refused: Invalid cross-device link";

// With full permissions for every user, so that only band restricts writes of the slot.
struct Open : Directory {
  Open() { REQUIRE(::chmod(path().c_str(), 0777) == 0); }
  void make(const std::string& name) const {
    std::filesystem::create_directories(path() + "/" + name);
    band::test::outside("chmod -R a+rwX " + path());
  }
  std::string operator/(const std::string& name) const { return path() + "/" + name; }
};

struct WithLocked : Open {
  WithLocked() {
    make("locked");
    put("locked/a", "alpha", 0666);
  }
};

With writing(const Open& dir, const std::vector<std::string>& deny_write = {}) {
  With with;
  with.read = with.write = {dir / "**"};
  with.deny_write = deny_write;
  return with;
}

std::string inside(const Open& dir, const std::string& script, const With& with) {
  return inside("cd " + dir.path() + "; " + script, with);
}

std::string outside(const Open& dir, const std::string& script) {
  return band::test::outside("cd " + dir.path() + "; " + script);
}

// Runs a script until `act` was executed outside, and returns its result.
Ran while_it_runs(const Open& dir, const With& with, const std::string& act) {
  auto running =
      start("cd " + dir.path() + "; touch started; for i in {1..200}; do [ -e go ] && break; sleep 0.05; done", with);
  CHECK(wait_until(10'000, [&] { return std::filesystem::exists(dir / "started"); }));
  CHECK(outside(dir, act + "; echo done") == "done");
  dir.put("go", "");
  return running.get();
}

}  // namespace

TEST_CASE("in a directory that is declared for writing, new files can be created, also if paths inside it are denied") {
  const WithLocked dir;
  const std::string act =
      "try touch new; try mkdir d; try bash -c 'echo x >>d/f'; try touch locked/new; "
      "try bash -c 'echo x >>locked/a'; try rm locked/a; try mkdir locked/d; cat locked/a";
  CHECK(inside(dir, act, writing(dir)) == "did\ndid\ndid\ndid\ndid\ndid\ndid");
  outside(dir, "rm -r new d locked/*");
  dir.put("locked/a", "alpha", 0666);
  for (const char* deny : {"locked", "locked/", "locked/**"}) {
    CAPTURE(deny);
    const std::string refused = kReadOnly;
    CHECK(inside(dir, act, writing(dir, {dir / deny})) ==
          "did\ndid\ndid\n" + refused + "\n" + refused + "\n" + refused + "\n" + refused + "\nalpha");
    CHECK(outside(dir, "cat d/f locked/a; ls locked; rm -r new d") == "x\nalphaa");
  }
}

TEST_CASE(
    "a file whose name begins with a dot, a socket or a FIFO in a directory does not prevent writes to other files "
    "there") {
  const Open dir;
  dir.make("sub");
  dir.put(".env", "secret", 0666);
  dir.put("sub/.git/config", "secret", 0666);
  REQUIRE(::mkfifo((dir / "fifo").c_str(), 0666) == 0);
  REQUIRE(::symlink("/etc/passwd", (dir / ".link").c_str()) == 0);
  const Listener listener(Listener::Path, dir / "socket");
  const std::string acts =
      "try touch new sub/new; cat .env fifo .link; ls -A sub/.git; "
      "band-probe connect-unix $PWD/socket; try touch .env; try touch sub/.git/hooks; try rm .env; "
      "try mv .link x; try rm socket";
  CHECK(
      outside_as(slot_uid(), "cd " + dir.path() + "; band-probe connect-unix $PWD/socket; cat .env; ls -A sub/.git") ==
      "did\nsecretconfig");
  CHECK(inside(dir, acts, writing(dir)) == std::string("did\nrefused EACCES\n") + kDenied + "\n" + kReadOnly + "\n" +
                                               kBusy + "\n" + kDenied + "\n" + kBusy);
  CHECK(outside(dir, "ls; cat .env") == "fifo\nnew\nsocket\nsub\nsecret");
}

TEST_CASE("after a run that creates a file whose name begins with a dot, the next run can still use the directory") {
  const Open dir;
  CHECK(inside(dir, "try touch .x; try mkdir .d; try touch .d/y", writing(dir)) == "did\ndid\ndid");
  CHECK(inside(dir, "try touch a; try mkdir b; ls -A .d; try touch .d/z", writing(dir)) ==
        std::string("did\ndid\n") + kReadOnly);
}

TEST_CASE(
    "after a run that creates directories nested too deep for a search, the next run can still use the directory") {
  const Open dir;
  CHECK(inside(dir,
               "for i in {1..100}; do mkdir d && cd d; done; touch f; cd " + dir.path() +
                   "; long=$(printf %0200d 1); for i in {1..30}; do mkdir $long && cd $long; done; touch .f; echo made",
               writing(dir)) == "made");
  CHECK(inside(dir, "try touch new; try touch d/d/new; try rm -r d; for i in {1..20}; do cd 0*1 || break; done; ls -A",
               writing(dir))
            .find("did\ndid\nrefused: ") == 0);
  outside("rm -rf " + dir.path() + "/*");
}

TEST_CASE(
    "a file whose name begins with a dot can be accessed if a rule has the name literally, and other such files "
    "cannot") {
  const Open dir;
  dir.make("");
  dir.put(".config/a.json", "old", 0666);
  dir.put(".config/b.txt", "closed", 0666);
  dir.put(".whole/f", "old", 0666);
  outside("chmod -R a+rwX " + dir.path());
  With with;
  with.read = with.write = {dir / "**", dir / ".config/*.json", dir / ".whole/**"};
  CHECK(inside(dir,
               "try touch new; ls .config; try bash -c 'echo new >.config/a.json'; try touch .config/c.json; "
               "try touch .whole/g; try mv .whole whole; cat .config/a.json",
               with) == std::string("did\na.json\ndid\n") + kReadOnly + "\ndid\n" + kBusy + "\nnew");
}

TEST_CASE("neither a denied directory nor a directory above it can be renamed or removed") {
  const Open dir;
  dir.make("sub/deep/locked");
  dir.put("sub/deep/locked/a", "alpha", 0666);
  // Within one directory: across mounts mv(1) would copy.
  const std::string acts =
      "try mv sub/deep/locked sub/deep/x; try mv sub/deep sub/x; try mv sub x; mkdir sub/deep/o; "
      "try mv -T sub/deep/o sub/deep/locked; try rmdir sub/deep/locked; rm -rf sub 2>/dev/null; "
      "try cat sub/deep/locked/a";
  CHECK(inside(dir, "try mv sub/deep/locked x; try mv x sub/deep/locked", writing(dir)) == "did\ndid");  // the control
  const std::string busy = kBusy;
  CHECK(inside(dir, acts, writing(dir, {dir / "sub/deep/locked"})) ==
        busy + "\n" + busy + "\n" + busy + "\n" + busy + "\n" + busy + "\ndid");
  CHECK(outside("cat " + (dir / "sub/deep/locked/a")) == "alpha");
  CHECK(inside(dir, "try touch sub/new sub/deep/new", writing(dir, {dir / "sub/deep/locked"})) == "did");
}

TEST_CASE("a hard link cannot be made out of a denied directory, nor into it") {
  const WithLocked dir;
  dir.put("b", "beta", 0666);
  // To link a file, the slot must own it, or be able to read and write it, as here (fs.protected_hardlinks).
  CHECK(inside(dir, "try ln b c; try ln b locked/c; try rm locked/c", writing(dir)) == "did\ndid\ndid");
  CHECK(inside(dir, "try ln b e; try ln locked/a d; try ln b locked/d", writing(dir, {dir / "locked"})) ==
        std::string("did\n") + kOtherMount + "\n" + kReadOnly);
}

TEST_CASE("paths that are denied for reading are shown empty inside a directory that is declared for writing") {
  const Open dir;
  dir.make("keys");
  dir.put("keys/secret", "s", 0666);
  dir.put("key", "s", 0666);
  With with = writing(dir);
  CHECK(inside(dir, "cat keys/secret key", with) == "ss");  // the control
  with.deny_read = {dir / "keys", dir / "key"};
  CHECK(inside(dir,
               "ls -A keys; cat key; try cat keys/secret; try touch keys/x; try mv keys k; try rm key; "
               "try bash -c ': >key'; try touch new",
               with) ==
        std::string(kAbsent) + "\n" + kReadOnly + "\n" + kBusy + "\n" + kBusy + "\n" + kReadOnly + "\ndid");
  CHECK(outside(dir, "cat keys/secret key") == "ss");
}

TEST_CASE(
    "a directory that is denied for writing, inside a directory declared for writing, shows only the entries that "
    "`read` allows") {
  const Open dir;
  dir.make("locked");
  dir.put("locked/a.csv", "1", 0666);
  dir.put("locked/.env", "secret", 0666);
  dir.put("locked/b", "2", 0666);
  With with = writing(dir, {dir / "locked"});
  CHECK(inside(dir, "ls -A locked; cat locked/a.csv", with) == "a.csv\nb\n1");
  with.read = {dir / "**/*.csv"};
  CHECK(inside(dir, "ls -A locked; cat locked/a.csv; try touch new; try cat new", with) ==
        std::string("a.csv\n1did\n") + kDenied);
  with.read = {};
  CHECK(inside(dir, "try cat locked/a.csv; try touch locked/x; try touch new2", with) ==
        std::string(kAbsent) + "\n" + kReadOnly + "\ndid");
}

TEST_CASE("files that `read` allows in a directory that is declared only for writing can be read and written") {
  const Open dir;
  dir.put("a.csv", "1\n", 0666);
  dir.put("b.key", "2\n", 0666);
  With with = writing(dir);
  with.read = {dir / "*.csv"};
  CHECK(inside(dir,
               "try bash -c 'echo x >>a.csv'; cat a.csv; try bash -c 'echo x >>b.key'; try cat b.key; "
               "try mv b.key c.csv; try cat c.csv",
               with) == std::string("did\n1\nx\ndid\n") + kDenied + "\ndid\n" + kDenied);
}

TEST_CASE("a directory that the slot cannot list is masked and does not prevent writes to other files") {
  const Open dir;
  dir.make("blind");
  dir.put("blind/.dot", "hidden", 0666);
  REQUIRE(::chmod((dir / "blind").c_str(), 0733) == 0);
  CHECK(outside_as(slot_uid(), "cat " + (dir / "blind/.dot")) == "hidden");
  CHECK(inside(dir, "try cat blind/.dot; try touch blind/x; try touch new", writing(dir)) ==
        std::string(kAbsent) + "\n" + kReadOnly + "\ndid");
}

TEST_CASE("denied patterns with wildcards, and denied names that do not exist, are refused with a hint") {
  const Open dir;
  dir.make("locked");
  for (const std::string& deny : {dir / "*.key", dir / "*/x", dir / ".*", dir / "**/x"}) {
    CAPTURE(deny);
    const Ran ran = run("echo ran", writing(dir, {deny}));
    CHECK(ran.code == "SKILL_INVALID");
    CHECK(ran.message.find(deny) != std::string::npos);
    CHECK(ran.hint.find("without wildcards") != std::string::npos);
    CHECK(ran.out == "");
  }
  for (const std::string& deny : {dir / "missing", dir / "missing/**", dir / ".env"}) {
    CAPTURE(deny);
    const Ran ran = run("echo ran", writing(dir, {deny}));
    CHECK(ran.code == "SANDBOX_UNAVAILABLE");
    CHECK(ran.message.find(deny) != std::string::npos);
    CHECK(ran.hint.find("mkdir") != std::string::npos);
    CHECK(ran.out == "");
  }
  With reads = writing(dir);
  reads.deny_read = {dir / "*.key"};
  CHECK(run("echo ran", reads).code == "SKILL_INVALID");
  CHECK(run("echo ran", writing(dir, {dir / "locked"})).out == "ran");
  // A path inside a masked directory needs no mask, and paths outside the directory have no effect.
  CHECK(run("echo ran", writing(dir, {dir / "locked", dir / "locked/missing", "/srv/band-elsewhere/*"})).out == "ran");
}

TEST_CASE("an execution fails when the mask of a denied directory is lifted from outside") {
  for (const char* act : {"rmdir locked", "mv locked elsewhere; mkdir locked", "mv sub moved; mkdir -p sub/locked",
                          "rmdir sub/locked; mkdir sub/locked; chmod 777 sub/locked"}) {
    CAPTURE(act);
    const Open dir;
    dir.make("locked");
    dir.make("sub/locked");
    const With with = writing(dir, {dir / "locked", dir / "sub/locked"});
    CHECK(while_it_runs(dir, with, "true").code == "OK");  // the control
    outside(dir, "rm go started");
    const Ran ran = while_it_runs(dir, with, act);
    CHECK(ran.code == "SANDBOX_UNAVAILABLE");
    CHECK(ran.message.find("locked") != std::string::npos);
    CHECK(ran.message.find("while the script ran") != std::string::npos);
    CHECK(ran.data == "null");
    CHECK(ran.ledger.find("unmasked: ") != std::string::npos);
  }
}

TEST_CASE("an execution succeeds when a hidden name that no rule denies is removed from outside") {
  const Open dir;
  dir.put(".swp", "x");
  CHECK(while_it_runs(dir, writing(dir), "rm .swp").code == "OK");
}

TEST_CASE("paths that are denied or hidden in a declared directory are masked for commands as for the script") {
  const WithLocked dir;
  dir.put(".env", "secret", 0666);
  With with = writing(dir, {dir / "locked"});
  with.cli = {"python3 *"};
  CHECK(inside(dir,
               "python3 -c 'import os\n"
               "open(\"new\", \"w\").close()\n"
               "print(os.listdir(\"locked\"), repr(open(\".env\").read()))\n"
               "for act in (lambda: open(\"locked/x\", \"w\"), lambda: os.rename(\"locked\", \"y\")):\n"
               "  try: act(); print(\"did\")\n"
               "  except OSError as e: print(\"refused:\", e.strerror)'",
               with) == std::string("['a'] ''\n") + kReadOnly + "\n" + kBusy);
}

TEST_CASE("when a script fails to read a file that it may only write, the hint names `read`") {
  const Open dir;
  dir.put("a", "alpha", 0666);
  With with;
  with.write = {dir / "**"};
  const std::string script = "cat " + (dir / "a");
  const Ran ran = run("set -e; " + script, with);
  CHECK(ran.code == "SCRIPT_FAILED");
  CHECK(ran.hint.find("name this path in `read`, too") != std::string::npos);
  CHECK(ran.hint.find(dir.path()) != std::string::npos);
  CHECK(run("exit 1", with).hint.find("read") == std::string::npos);  // the control: it read no such file
  with.read = with.write;
  CHECK(run("set -e; " + script, with).out == "alpha");
}
