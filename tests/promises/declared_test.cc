// Absolute paths of a band: which files of the machine they show.
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

}  // namespace

TEST_CASE("a declared directory is shown with its content") {
  const Directory dir;
  dir.put("a.csv", "1,2");
  dir.put("sub/b.csv", "3,4");
  CHECK(inside("try ls " + dir.path()) == kAbsent);  // the control: not unless declared
  CHECK(inside("cd " + dir.path() + "; cat a.csv sub/b.csv; ls", reading({dir.path() + "/**"})) == "1,23,4a.csv\nsub");
}

TEST_CASE("a declared file is shown, and other files of its directory are not") {
  const Directory dir;
  dir.put("a", "alpha");
  dir.put("b", "beta");
  CHECK(inside("cat " + dir.path() + "/a; echo; ls " + dir.path(), reading({dir.path() + "/a"})) == "alpha\na");
}

TEST_CASE("only the files of a declared directory that the rules allow are shown") {
  const Directory dir;
  dir.put("a.csv", "1");
  dir.put("a.key", "2");
  CHECK(inside("ls " + dir.path(), reading({dir.path() + "/*.csv"})) == "a.csv");
}

TEST_CASE("a directory that is declared for reading cannot be written, regardless of its mode") {
  const Directory dir;
  dir.put("a", "alpha", 0666);
  REQUIRE(::chmod(dir.path().c_str(), 0777) == 0);
  const std::string act = "cd " + dir.path() + "; for f in a new; do try bash -c \": >>$f\"; done; try rm a";
  CHECK(outside_as(slot_uid(), "cd " + dir.path() + "; try bash -c ': >>a'; try touch x; try rm x") == "did\ndid\ndid");
  CHECK(inside(act, reading({dir.path() + "/**"})) == std::string(kReadOnly) + "\n" + kReadOnly + "\n" + kReadOnly);
  CHECK(inside("try chmod 600 " + dir.path() + "/a", reading({dir.path() + "/a"})).substr(0, 8) == "refused:");
}

TEST_CASE("a denied file of a declared directory does not exist") {
  const Directory dir;
  dir.put("a", "alpha");
  dir.put("keys/secret", "s");
  dir.put("keys/public", "p");
  CHECK(inside("cd " + dir.path() + "; ls . keys", reading({dir.path() + "/**"}, {dir.path() + "/keys/secret"})) ==
        ".:\na\nkeys\n\nkeys:\npublic");
  CHECK(inside("cd " + dir.path() + "; ls", reading({dir.path() + "/**"}, {dir.path() + "/**/secret"})) == "a\nkeys");
  CHECK(inside("cd " + dir.path() + "; ls", reading({dir.path() + "/**"}, {dir.path() + "/keys/**"})) == "a");
}

TEST_CASE("a denied file stays hidden when a process of the machine renames it") {
  const Directory dir;
  dir.put("a", "alpha");
  dir.put("secret", "hidden");
  const Directory rounds_directory;  // the script counts its rounds here, and stops when a file is made here
  REQUIRE(::chmod(rounds_directory.path().c_str(), 0777) == 0);
  const std::string script = "cd " + dir.path() + "; until [ -e " + rounds_directory.path() +
                             "/stop ]; do ls -A | tr '\\n' ' '; grep -r hidden . && echo seen; echo >>" +
                             rounds_directory.path() + "/looks; sleep 0.01; done";
  With with = reading({dir.path() + "/**", rounds_directory.path() + "/**"}, {dir.path() + "/secret"});
  with.write = {rounds_directory.path() + "/**"};
  auto running = start(script, with);
  // Waits for two rounds: the first may have begun before.
  const auto looks = [&] {
    std::error_code none;
    const auto size = std::filesystem::file_size(rounds_directory.path() + "/looks", none);
    return none ? 0 : size;
  };
  const auto looked_twice = [&] {
    const auto before = looks();
    return wait_until(10'000, [&] { return looks() >= before + 2; });
  };
  CHECK(looked_twice());
  REQUIRE(::rename((dir.path() + "/secret").c_str(), (dir.path() + "/other").c_str()) == 0);
  CHECK(looked_twice());
  dir.put("secret", "hidden again");
  CHECK(looked_twice());
  rounds_directory.put("stop", "");
  const Ran ran = running.get();
  CHECK(ran.code == "OK");
  CHECK(ran.out.find("a ") == 0);
  CHECK(ran.out.find("seen") == std::string::npos);
  CHECK(ran.out.find("secret") == std::string::npos);
  CHECK(ran.out.find("other") == std::string::npos);
}

TEST_CASE("a socket in a declared directory is hidden, because connect(2) works on a read-only mount") {
  const Directory dir;
  dir.put("a", "alpha");
  const Listener listener(Listener::Path, dir.path() + "/socket");
  const std::string act = "band-probe connect-unix " + listener.name();
  CHECK(outside_as(slot_uid(), act) == "did");
  // The second control: a read-only mount does not prevent it.
  CHECK(outside("unshare -m bash -c 'mount --bind " + dir.path() + " /mnt && mount -o remount,bind,ro /mnt && " +
                "band-probe connect-unix /mnt/socket'") == "did");
  CHECK(inside(act, reading({dir.path() + "/**"})) == "refused ENOENT");
  CHECK(inside("ls " + dir.path(), reading({dir.path() + "/**"})) == "a");
  CHECK(inside(act + " 2>&1", reading({listener.name()})) == "refused ENOENT");
}

TEST_CASE("FIFOs and devices in a declared directory are hidden") {
  const Directory dir;
  dir.put("a", "alpha");
  dir.put("sub/b", "beta");
  REQUIRE(::mkfifo((dir.path() + "/sub/fifo").c_str(), 0666) == 0);
  REQUIRE(::mknod((dir.path() + "/null").c_str(), S_IFCHR | 0666, 0x103) == 0);
  CHECK(inside("cd " + dir.path() + "; ls . sub", reading({dir.path() + "/**"})) == ".:\na\nsub\n\nsub:\nb");
}

TEST_CASE("files whose names begin with a dot are hidden unless a rule has the name literally") {
  const Directory dir;
  dir.put("a", "alpha");
  dir.put(".env", "secret");
  dir.put("sub/.git/config", "x");
  CHECK(inside("cd " + dir.path() + "; find . | sort | tr '\\n' ' '", reading({dir.path() + "/**"})) == ". ./a ");
  CHECK(inside("cat " + dir.path() + "/.env", reading({dir.path() + "/.env"})) == "secret");
}

TEST_CASE(
    "if the machine's permissions deny a declared path to the slot, the run fails with an error that names the path") {
  const Directory dir;
  dir.put("a", "alpha");
  REQUIRE(::chmod(dir.path().c_str(), 0700) == 0);
  const Ran ran = run("echo ran", reading({dir.path() + "/**"}));
  CHECK(ran.code == "PERMISSION_DENIED");
  CHECK(ran.out == "");
  CHECK(ran.message.find("Permission denied") != std::string::npos);
  CHECK(ran.hint.find("band-runner") != std::string::npos);
  REQUIRE(::chmod(dir.path().c_str(), 0755) == 0);
  CHECK(run("echo ran", reading({dir.path() + "/**"})).out == "ran");
}

TEST_CASE("a declared file in a directory that the slot may not search cannot be read") {
  const Directory dir;
  dir.put("closed/a", "alpha", 0644);
  REQUIRE(::chmod((dir.path() + "/closed").c_str(), 0700) == 0);
  const Ran ran = run("cat " + dir.path() + "/closed/a", reading({dir.path() + "/closed/a"}));
  CHECK(ran.code == "PERMISSION_DENIED");
  CHECK(ran.out == "");
  REQUIRE(::chmod((dir.path() + "/closed").c_str(), 0755) == 0);
  CHECK(inside("cat " + dir.path() + "/closed/a", reading({dir.path() + "/closed/a"})) == "alpha");
}

TEST_CASE("a directory that the slot may not list, inside a declared directory, is not shown") {
  const Directory dir;
  dir.put("a", "alpha");
  dir.put("closed/b", "beta");
  REQUIRE(::chmod((dir.path() + "/closed").c_str(), 0700) == 0);
  CHECK(inside("cd " + dir.path() + "; cat a; echo; try ls closed; try cat closed/b", reading({dir.path() + "/**"})) ==
        std::string("alpha\n") + kAbsent + "\n" + kAbsent);
}

TEST_CASE("a directory that can be searched but not listed is not shown, because its content is unknown") {
  const Directory dir;
  dir.put("a", "alpha");
  dir.put("blind/.dot", "hidden");
  REQUIRE(::chmod((dir.path() + "/blind").c_str(), 0711) == 0);
  CHECK(outside_as(slot_uid(), "cat " + dir.path() + "/blind/.dot") == "hidden");
  CHECK(inside("try cat " + dir.path() + "/blind/.dot", reading({dir.path() + "/**"})) == kAbsent);
}

TEST_CASE("a declared path that does not exist on the machine is not created there") {
  const Directory dir;
  dir.put("w/sub/file", "x", 0666);
  REQUIRE(::chmod((dir.path() + "/w").c_str(), 0777) == 0);
  With with = reading({dir.path() + "/w/sub/file"});
  with.write = {dir.path() + "/w/**"};
  CHECK(inside("cat " + dir.path() + "/w/sub/file", with) == "x");  // the control
  std::filesystem::remove_all(dir.path() + "/w/sub");
  CHECK(run("true", with).code == "SANDBOX_UNAVAILABLE");
  CHECK_FALSE(std::filesystem::exists(dir.path() + "/w/sub"));
}

TEST_CASE("a declared file whose mode denies access to the slot cannot be read") {
  const Directory dir;
  dir.put("a", "alpha", 0600);
  dir.put("b", "beta", 0644);
  CHECK(inside("cd " + dir.path() + "; try cat a; try cat b", reading({dir.path() + "/**"})) ==
        std::string(kDenied) + "\ndid");
}

TEST_CASE("a link in a declared directory cannot be followed out of the view") {
  const Directory dir;
  dir.put("a", "alpha");
  std::filesystem::create_symlink("/root", dir.path() + "/link");
  std::filesystem::create_symlink("/etc/shadow", dir.path() + "/shadow");
  CHECK(outside("try ls " + dir.path() + "/link/; try cat " + dir.path() + "/shadow") == "did\ndid");
  CHECK(inside("cd " + dir.path() + "; try ls link/; try cat shadow; try cat a", reading({dir.path() + "/**"})) ==
        std::string(kAbsent) + "\n" + kAbsent + "\ndid");
}

TEST_CASE("a program of a declared directory cannot be executed") {
  const Directory dir;
  dir.put("tool", "#!/usr/bin/bash\necho did\n", 0755);
  CHECK(outside_as(slot_uid(), "try " + dir.path() + "/tool") == "did");
  CHECK(inside("try " + dir.path() + "/tool", reading({dir.path() + "/**"})) == kDenied);
}

TEST_CASE("a setuid program in a declared directory gives a script no further rights") {
  const Directory dir;
  std::filesystem::copy("/usr/bin/id", dir.path() + "/id");
  REQUIRE(::chmod((dir.path() + "/id").c_str(), 04755) == 0);
  CHECK(outside_as(slot_uid(), dir.path() + "/id -u") == "0");
  CHECK(inside("try " + dir.path() + "/id -u", reading({dir.path() + "/**"})) == kDenied);
}

TEST_CASE("the default ceiling denies /etc, /root, /proc and other system directories") {
  const Directory dir;  // the control: this one is not under the ceiling
  CHECK(inside("try ls " + dir.path(), reading({dir.path() + "/**"})) == "did");
  for (const char* path :
       {"/root", "/proc/sys", "/run", "/var/lib/dpkg", "/boot", "/home", "/sys/kernel", "/dev", "/etc"}) {
    CAPTURE(path);
    CHECK(outside(std::string("try ls ") + path) == "did");
    const Ran ran = run(std::string("try ls ") + path, reading({path + std::string("/**")}));
    CHECK(ran.code == "PERMISSION_DENIED");
    CHECK(ran.out == "");
  }
}

TEST_CASE(
    "a rule of which the ceiling allows no part fails the run, and the error names the rule, the file of the rule and "
    "the ceiling") {
  const Ran ran = run("echo ran", reading({"/var/lib/dpkg/**"}));
  CHECK(ran.code == "PERMISSION_DENIED");
  CHECK(ran.message.find("read `/var/lib/dpkg/**` (test/BAND.md:1)") != std::string::npos);
  CHECK(ran.message.find("ceiling") != std::string::npos);
  CHECK(ran.hint.find("/etc/band/server.yaml") != std::string::npos);
  CHECK(ran.out == "");
  With writing;
  writing.write = {"/etc/new"};
  CHECK(run("echo ran", writing).code == "PERMISSION_DENIED");
}

TEST_CASE("a rule of which the ceiling denies a part does not fail the run, and the ledger names the denied part") {
  const Directory dir("/var/tmp/band-test-XXXXXX");
  dir.put("a", "alpha");
  const Ran ran = run("try cat " + dir.path() + "/a; try ls /var/lib", reading({"/var/*/band-test-*/a"}));
  CHECK(ran.out == std::string("did\n") + kAbsent);
  CHECK(ran.ledger.find("closed: this server's ceiling allows only a part of read `/var/*/band-test-*/a`") == 0);
  CHECK(ran.ledger.find("`/var/lib`") != std::string::npos);
  CHECK(run("true", reading({dir.path() + "/a"})).ledger == "");  // the control
}

TEST_CASE("a rule that the band itself denies completely is noted in the ledger") {
  const Directory dir;
  dir.put("a", "alpha");
  const Ran ran = run("try cat " + dir.path() + "/a", reading({dir.path() + "/a"}, {dir.path() + "/**"}));
  CHECK(ran.out == kAbsent);
  CHECK(ran.ledger.find("closed: read `" + dir.path() + "/a` (test/BAND.md:1) has no effect") == 0);
}

TEST_CASE("the sandbox's own directories cannot be declared") {
  for (const char* path : {"/tmp/**", "/work/x", "/band/out/**", "/**"}) {
    CAPTURE(path);
    CHECK(run("echo", reading({path})).code == "SANDBOX_UNAVAILABLE");
  }
}

TEST_CASE("a file system that the machine mounts during a run does not appear in the sandbox") {
  const Directory dir;
  dir.put("a", "alpha");
  dir.put("later/b", "beta");
  auto running = start(kHold + "ls " + dir.path() + "/later", reading({dir.path() + "/**"}));
  CHECK(held());
  CHECK(outside("mount -t tmpfs x " + dir.path() + "/later && touch " + dir.path() + "/later/new && ls " + dir.path() +
                "/later") == "new");
  let_go();
  const std::string seen = running.get().out;
  outside("umount " + dir.path() + "/later");
  CHECK(seen == "b");
}

TEST_CASE("if the caller disconnects or cancels, the search for files in a declared directory ends") {
  const Directory dir;
  for (int i = 0; i < 600; ++i) dir.put("f" + std::to_string(i), "");
  With with = reading({dir.path() + "/**"});
  CHECK(run("echo ran", with).out == "ran");  // the control
  for (const Caller caller : {Caller::Cancels, Caller::Goes}) {
    with.caller = caller;
    const Ran ran = run("echo ran", with);
    CHECK(ran.code == "CANCELLED");
    CHECK(ran.message == "view: the execution was cancelled");  // supervise() would state a reason
    CHECK(ran.streamed.find("started") == std::string::npos);
    CHECK(ran.slot_usable);
  }
}
