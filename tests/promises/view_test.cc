// Which files exist for a script, and which of them it can write or execute.
#include <doctest/doctest.h>

#include "tests/promises/sandbox.h"

using namespace band::test;

namespace {

const char* const kDenied = "refused: Permission denied";
const char* const kReadOnly = "refused: Read-only file system";
const char* const kAbsent = "refused: No such file or directory";

With of_a_skill() {
  With with;
  with.lib = {{"l.txt", "a library\n"}};
  with.skill_files = {{"scripts/promise/helper.sh", "echo helped\n"},
                      {"scripts/promise/sub/deep.txt", "deep\n"},
                      {"assets/a b.txt", "an asset\n"},
                      {"references/r.md", "a reference\n"}};
  return with;
}

}  // namespace

TEST_CASE("files of the machine that no rule allows do not exist in the view") {
  for (const char* path : {"/home", "/root", "/var", "/opt", "/sys", "/run", "/srv", "/boot", "/mnt", "/usr/share/doc",
                           "/usr/bin/dpkg", "/usr/bin/perl", "/usr/bin/su", "/usr/bin/mount", "/etc/shadow"}) {
    CAPTURE(path);
    CHECK(outside(std::string("try ls ") + path) == "did");
    CHECK(inside(std::string("try ls ") + path) == kAbsent);
  }
}

TEST_CASE("the root directory of a script contains only these entries") {
  CHECK(inside("ls -A / | tr '\\n' ' '") == "band bin dev etc lib lib64 proc sbin tmp usr work ");
}

TEST_CASE("there is no network client and no editor, and the only interpreters are bash and awk") {
  CHECK(inside("for c in curl wget nc ssh python3 perl ruby node php vi nano ed gcc ld busybox openssl; do"
               " type -P $c; done; echo none") == "none");
}

TEST_CASE("the root directory and the floor are mounted read-only") {
  for (const char* place :
       {"/x", "/usr/x", "/usr/bin/x", "/etc/x", "/band/x", "/band/in/x", "/band/skill/x", "/dev/x"}) {
    CAPTURE(place);
    const std::string made = inside(std::string("try touch ") + place);
    CHECK_MESSAGE((made == kDenied || made == kReadOnly), made);
  }
  CHECK(inside("try touch /work/x; try touch /tmp/x; try touch /band/out/x") == "did\ndid\ndid");  // the control
}

TEST_CASE("the floor's files cannot be changed") {
  for (const char* act : {"bash -c ': >>/usr/bin/bash'", "rm /usr/bin/bash", "chmod 0777 /usr/bin/bash",
                          "mv /usr/bin/bash /usr/bin/dash", "bash -c ': >/etc/passwd'", "ln /usr/bin/bash /tmp/bash"}) {
    CAPTURE(act);
    CHECK(inside(std::string("try ") + act).substr(0, 8) == "refused:");
  }
}

TEST_CASE("a script cannot change its input, its source or its input directory") {
  CHECK(inside("try bash -c ': >>$INPUT_PATH'; try bash -c \": >>$0\"; try rm /band/in/input.json") ==
        std::string(kDenied) + "\n" + kDenied + "\n" + kReadOnly);
}

TEST_CASE("files next to run.sh, and the skill's assets and references, have the same relative paths as in the skill") {
  With with = of_a_skill();
  const std::string reads =
      "here=$(dirname \"$0\"); bash \"$here/helper.sh\"; cat \"$here/sub/deep.txt\" "
      "\"$here/../../assets/a b.txt\" \"$here/../../references/r.md\" \"$here/../_lib/l.txt\" \"$BAND_LIB/l.txt\"";
  const std::string all = "helped\ndeep\nan asset\na reference\na library\na library";
  CHECK(inside(reads, with) == all);
  CHECK(inside("cd /band/skill; find . -type f | sort | tr '\\n' ' '", with) ==
        "./assets/a b.txt ./lib/l.txt ./references/r.md ./scripts/promise/helper.sh ./scripts/promise/run.sh "
        "./scripts/promise/sub/deep.txt ");
  CHECK(inside("find /band/skill | sort | tr '\\n' ' '") ==
        "/band/skill /band/skill/lib /band/skill/scripts /band/skill/scripts/_lib /band/skill/scripts/promise "
        "/band/skill/scripts/promise/run.sh ");
  // A declared command has its own view.
  with.cli = {"git *"};
  const std::string print = "git hash-object --no-filters \"$(dirname \"$0\")/../../assets/a b.txt\"";
  CHECK(inside(print, with) == outside("printf 'an asset\\n' | git hash-object --stdin"));
}

TEST_CASE("a script can read the skill's files even if their modes deny it to others than the owner") {
  With with;
  with.lib = {{"l.txt", "a library\n", 0600}};
  with.skill_files = {{"assets/a.txt", "an asset\n", 0400}, {"references/x/r.md", "a reference\n", 0700}};
  CHECK(inside("cd /band/skill; cat lib/l.txt assets/a.txt references/x/r.md; "
               "stat -c %a lib/l.txt assets/a.txt references/x/r.md",
               with) == "a library\nan asset\na reference\n644\n444\n755");
}

TEST_CASE("neither a script nor a command can change the skill's files") {
  const std::string acts =
      "try bash -c ': >> assets/a.txt'; try rm assets/a.txt; try mv assets/a.txt assets/b; try chmod 0777 "
      "assets/a.txt; "
      "try ln -s x assets/c; try touch assets/new; try mkdir references; try touch scripts/promise/new; "
      "try bash -c ': >> scripts/promise/run.sh'; try mv scripts scripts2";
  // The control: the owner of the files can change them.
  const Directory control;
  control.put("assets/a.txt", "x");
  control.put("scripts/promise/run.sh", "x");
  outside("chown -R " + std::to_string(slot_uid()) + " " + control.path());
  const std::string did = outside_as(slot_uid(), "cd " + control.path() + "; " + acts);
  CHECK(did ==
        "did\ndid\nrefused: No such file or directory\nrefused: No such file or directory\ndid\ndid\ndid\ndid\n"
        "did\ndid");
  With with;
  with.skill_files = {{"assets/a.txt", "x", 0666}};
  const std::string refused = inside("cd /band/skill; " + acts + "; cat assets/a.txt", with);
  CHECK_MESSAGE(refused.find("did") == std::string::npos, refused);
  CHECK(refused.ends_with("\nx"));
  with.cli = {"python3 *"};
  const std::string opens = "python3 -c 'open(\"/band/skill/assets/a.txt\", \"";
  CHECK(inside(opens + "r\"); print(1)'", with) == "1");  // the control
  CHECK(inside(opens + "a\")' 2>&1 | tail -n 1 | cut -d: -f1", with).ends_with("Error"));
}

TEST_CASE("a script cannot unmount, remount or mount a file system") {
  for (const char* act : {"umount", "remount", "mount", "mount_setattr", "chroot"}) {
    CAPTURE(act);
    const std::string probe = std::string("band-probe ") + act + " /srv";
    // The control, in a separate mount namespace.
    CHECK(outside("unshare -m bash -c 'mount -t tmpfs x /srv; cd /; " + probe + "' 2>&1") == "did");
    CHECK(inside(std::string("band-probe ") + act + " /tmp") == "refused EPERM");
  }
}

TEST_CASE("no file of the floor has a setuid or setgid bit") {
  CHECK(outside("find /usr/bin -perm /6000 | head -1") != "");
  CHECK(inside("find / -perm /6000 2>/dev/null") == "");
}

TEST_CASE("/proc shows the processes of the view and no state of the machine") {
  for (const char* file : {"/proc/sys", "/proc/kcore", "/proc/sysrq-trigger", "/proc/kallsyms", "/proc/modules",
                           "/proc/cmdline", "/proc/meminfo", "/proc/mounts", "/proc/net", "/proc/bus"}) {
    CAPTURE(file);
    CHECK(inside(std::string("[ -f ") + file + " ] || [ -d " + file + " ] && head -c1 " + file + " 2>&1; echo none") ==
          outside("echo none"));
  }
  CHECK(outside("try ls /proc/sys; try ls /proc/meminfo") == "did\ndid");
  CHECK(inside("try ls /proc/sys; try ls /proc/kcore; try ls /proc/sysrq-trigger") ==
        std::string(kAbsent) + "\n" + kAbsent + "\n" + kAbsent);
}

TEST_CASE("bash cannot open its own memory for writing") {
  const std::string act = "try bash -c 'exec 3<>/proc/$$/mem'";
  CHECK(outside_as(slot_uid(), act) == "did");
  CHECK(inside(act) == kDenied);
}

TEST_CASE("dd cannot write into the memory of a process") {
  const std::string act =
      "at=$((16#$(grep '\\[stack\\]' /proc/$$/maps | cut -d- -f1)))\n"
      "try dd if=/dev/zero of=/proc/$$/mem bs=8 count=1 seek=$((at / 8)) conv=notrunc";
  CHECK(outside_as(slot_uid(), act) == "did");
  CHECK(inside(act) == kDenied);
}

TEST_CASE("a program cannot write its own memory through /proc/self/mem") {
  CHECK(outside("band-probe write-own-memory") == "did");
  CHECK(inside("band-probe write-own-memory") == "refused EACCES");
}

TEST_CASE("no file under /proc can be written") {
  for (const char* file : {"oom_score_adj", "comm", "coredump_filter", "timerslack_ns", "clear_refs"}) {
    CAPTURE(file);
    const std::string act = std::string("f=/proc/$$/") + file + "; try bash -c \"exec 3>>$f\"";
    CHECK(outside(act) == "did");
    CHECK(inside(act) == kDenied);
  }
}

TEST_CASE("/dev contains only the documented devices") {
  CHECK(inside("ls /dev | tr '\\n' ' '") == "fd full null random shm stderr stdin stdout urandom zero ");
  CHECK(inside("for f in /dev/*; do [ -b $f ] || { [ -c $f ] && echo -n \"$f \"; }; done") ==
        "/dev/full /dev/null /dev/random /dev/stdin /dev/urandom /dev/zero ");  // stdin is null
  CHECK(inside("head -c4 /dev/zero | od -An -tx1; head -c4 /dev/urandom | wc -c; echo x >/dev/null && echo did") ==
        " 00 00 00 00\n4\ndid");
}

TEST_CASE("a script can write to /dev/stderr and /dev/stdout") {
  const Ran ran = run("echo out >/dev/stdout; echo err >/dev/stderr");
  CHECK(ran.code == "OK");
  CHECK(ran.out == "out");
  CHECK(ran.err == "err");
}

TEST_CASE("a script cannot make a device") {
  CHECK(outside("band-probe mknod-device " + scratch()) == "did");
  CHECK(inside("band-probe mknod-device /tmp") == "refused EACCES");
}

TEST_CASE(
    "Landlock is active: a file that every user may read by its mode, but that no Landlock rule grants, cannot be "
    "read") {
  CHECK(inside("stat -c '%a %s' /band/canary").substr(0, 3) == "644");
  CHECK(inside("try cat /band/canary") == kDenied);
}

TEST_CASE("a program that a script wrote cannot be executed") {
  const std::string copy =
      "cp /usr/bin/true \"$place/copy\"; chmod +x \"$place/copy\"; try \"$place/copy\"; rm \"$place/copy\"";
  CHECK(outside("place=" + scratch() + "; " + copy) == "did");
  for (const char* place : {"/tmp", "/work", "/band/out"}) {
    CAPTURE(place);
    CHECK(inside(std::string("place=") + place + "; " + copy) == kDenied);
  }
}

TEST_CASE("a shell script that a script wrote cannot be executed as a program") {
  const std::string act = "printf '#!/usr/bin/bash\\necho did\\n' >x; chmod +x x; try ./x; rm x";
  CHECK(outside("cd " + scratch() + "; " + act) == "did");
  CHECK(inside(act) == kDenied);
  CHECK(inside("echo 'echo did' >x; bash x") == "did");  // an interpreter can read it
}

TEST_CASE("ld.so cannot run a program that a script wrote") {
  const std::string act = "cp /usr/bin/true copy; try /lib64/ld-linux-x86-64.so.2 ./copy; rm copy";
  CHECK(outside("cd " + scratch() + "; " + act) == "did");
  CHECK(inside("cd /tmp; " + act).substr(0, 8) == "refused:");
  CHECK(inside("cd /tmp; cp /lib64/ld-linux-x86-64.so.2 ld; chmod +x ld; try ./ld /usr/bin/true") == kDenied);
  CHECK(inside("try /lib64/ld-linux-x86-64.so.2 /usr/bin/true") == "did");
}

TEST_CASE("a library that a script wrote cannot be loaded") {
  const std::string act =
      "cp $(sed -n 's,.* \\(/.*/libc.so.6\\)$,\\1,p' /proc/self/maps | head -1) other.so\n"
      "LD_PRELOAD=$PWD/other.so cat /proc/self/maps 2>/dev/null | grep -c 'r-xp.*/other.so'; rm other.so";
  CHECK(outside("cd " + scratch() + "; " + act) == "1");
  CHECK(inside(act) == "0");
}

TEST_CASE("a written file cannot be mapped as executable memory") {
  for (const char* act : {"map-executable", "map-then-protect"}) {
    CAPTURE(act);
    const std::string probe = std::string("cp /usr/bin/true f; band-probe ") + act + " f; rm f";
    CHECK(outside("cd " + scratch() + "; " + probe) == "did");
    CHECK(inside(probe).substr(0, 8) == "refused ");
    CHECK(inside(std::string("band-probe ") + act + " /usr/bin/true") == "did");
  }
}

TEST_CASE("a memfd cannot be executed") {
  CHECK(outside("band-probe exec-memfd plain") == "did");
  CHECK(inside("band-probe exec-memfd plain") == "refused EPERM");
  CHECK(inside("band-probe exec-memfd sealed") ==
        (kernel_has("band-probe memfd-sealed") ? "refused EACCES" : "refused EINVAL"));
}

TEST_CASE("a memfd must be sealed against execution") {
  const bool sealing = kernel_has("band-probe memfd-sealed");  // since Linux 6.3; before it no memfd is allowed
  CHECK(outside("band-probe memfd-plain; band-probe memfd-exec") == (sealing ? "did\ndid" : "did\nrefused EINVAL"));
  CHECK(inside("band-probe memfd-plain; band-probe memfd-exec; band-probe memfd-sealed") ==
        std::string("refused EPERM\nrefused EPERM\n") + (sealing ? "did" : "refused EINVAL"));
}

TEST_CASE("no setuid or setgid bit can be set") {
  for (const char* call :
       {"chmod", "fchmod", "fchmodat", "fchmodat2", "open", "openat", "creat", "mknod", "mknodat", "tmpfile"})
    for (const char* bit : {"4000", "2000"}) {
      CAPTURE(call);
      CAPTURE(bit);
      const std::string act = std::string("band-probe set-bit ") + call + " ";
      if (std::string(call) != "fchmodat2" || kernel_has(act + scratch() + " " + bit))  // Linux 6.6
        CHECK(outside(act + scratch() + " " + bit) == "did");
      CHECK(inside(act + "/tmp " + bit).substr(0, 8) == "refused ");
    }
  CHECK(inside("touch x; try chmod 4755 x; try chmod 755 x") == "refused: Operation not permitted\ndid");
}

TEST_CASE("the mount table shows the rights of the mounts, and no path of the machine but declared paths") {
  const Directory dir;
  With declared;
  declared.read = {dir.path() + "/**"};
  const auto table_of = [](const std::string& file) {
    return "while read -r _ _ _ root point rights _; do echo \"$root $point ${rights%,relatime}\"; done < " + file +
           " | sed -E 's,/[^ ]*/band-test-[^ ]*,DECLARED,g' | LC_ALL=C sort";
  };
  const std::string table = table_of("/proc/self/mountinfo");
  CHECK(outside(table).find("/ /proc") != std::string::npos);  // the control
  const std::string parts =
      "/full /dev/full rw,nosuid,noexec\n/null /dev/null rw,nosuid,noexec\n/random /dev/random rw,nosuid,noexec\n"
      "/tmp /tmp rw,nosuid,nodev,noexec\n/urandom /dev/urandom rw,nosuid,noexec\n/usr /usr ro,nosuid,nodev\n"
      "/workspace /work rw,nosuid,nodev,noexec\n/zero /dev/zero rw,nosuid,noexec";
  const std::string band = "/files/band /band ro,nosuid,nodev,noexec\n";
  const std::string both =
      "/ /band/out rw,nosuid,nodev,noexec\n/ /proc rw,nosuid,nodev,noexec\n/etc /etc ro,nosuid,nodev\n"
      "/files / ro,nosuid,nodev,noexec\n";
  CHECK(inside(table, declared) == both + parts + "\nDECLARED DECLARED ro,nosuid,nodev,noexec");
  CHECK(inside(table) == both + band + parts);  // a clone of a FloorTree
  With commands;
  commands.cli = {"cat *"};
  std::string with_home = parts;
  with_home.insert(with_home.find("/null"), "/home /band/home rw,nosuid,nodev,noexec\n");
  CHECK(inside("cat /proc/self/mountinfo > table; " + table_of("table"), commands) == both + band + with_home);
  // The layers of an overlay are in its options.
  const std::string lines = "grep -c '" + scratch() + "' ";
  CHECK(inside("cat /proc/self/mountinfo > table; " + lines + "table || true", commands) == "0");
  CHECK(inside(lines + "/proc/self/mountinfo || true") == "0");
}
