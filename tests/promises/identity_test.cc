// The identity of a script, and the processes that it can reach.
#include <doctest/doctest.h>
#include <unistd.h>

#include "tests/promises/sandbox.h"

using namespace band::test;

TEST_CASE("a script runs as band-runner") {
  CHECK(inside("id -un; id -gn; whoami") == "band-runner\nband-runner\nband-runner");
}

TEST_CASE("a script has the slot's uid and gid, and no other group") {
  const std::string id = std::to_string(slot_uid());
  CHECK(inside("id -u; id -ru; id -g; id -G") == id + "\n" + id + "\n" + id + "\n" + id);
  CHECK(inside("grep ^Groups: /proc/self/status | tr -d '\\t '") == "Groups:");
}

TEST_CASE("a script has no capability in any set, and cannot get one") {
  const std::string show = "grep -E '^(Cap|NoNew)' /proc/self/status | tr -d '\\t'";
  CHECK(outside(show).find("CapEff:0000000000000000") == std::string::npos);
  CHECK(outside(show).find("NoNewPrivs:0") != std::string::npos);
  CHECK(inside(show) ==
        "CapInh:0000000000000000\nCapPrm:0000000000000000\nCapEff:0000000000000000\nCapBnd:0000000000000000\n"
        "CapAmb:0000000000000000\nNoNewPrivs:1");
}

TEST_CASE("child processes of a script have no capability") {
  CHECK(inside("bash -c 'bash -c \"grep ^CapEff /proc/self/status\"' | tr -d '\\t'") == "CapEff:0000000000000000");
}

TEST_CASE("a script cannot become root") {
  CHECK(outside("band-probe become-root") == "did");
  CHECK(inside("band-probe become-root") == "refused EPERM");
}

TEST_CASE("two slots do not share a uid") {
  auto other = start("id -u", {}, 1);
  CHECK(inside("id -u") == std::to_string(slot_uid(0)));
  CHECK(other.get().out == std::to_string(slot_uid(1)));
}

TEST_CASE("a script cannot signal pid 1 of its view") {
  CHECK(outside("sleep 9 >/dev/null & try kill -0 $!; try kill -9 $!") == "did\ndid");
  CHECK(inside("kill -9 1 2>&1 | grep -o 'not permitted'; kill -0 1 || echo still here") ==
        "not permitted\nstill here");
}

TEST_CASE("a script has the nice value of the server, and cannot lower it, not even after raising it") {
  const std::string climb = "nice -n -9 nice 2>/dev/null";
  CHECK(outside("nice -n -9 nice") != outside("nice"));  // the control
  CHECK(outside("nice -n 5 nice -n -5 nice") == outside("nice"));
  CHECK(inside("nice; " + climb) == outside("nice; nice"));
  CHECK(inside("nice -n 5 nice -n -5 nice 2>/dev/null") == outside("nice -n 5 nice"));
}

TEST_CASE("a script that kills all processes that it can kill ends only its own processes") {
  const Ran ran = run("sleep 99 & bash -c 'kill -9 -1'; echo here; kill -9 -1; kill -9 $$");
  CHECK(ran.code == "SCRIPT_FAILED");
  CHECK(ran.message == "the script was killed by signal 9");
  CHECK(inside("echo next") == "next");
}

TEST_CASE("a script sees only its own processes") {
  const std::string own = std::to_string(::getpid());
  CHECK(outside("try ls /proc/" + own) == "did");
  CHECK(outside("ls /proc/ | grep -c '^[0-9]*$'") != inside("ls /proc/ | grep -c '^[0-9]*$'"));
  // pid 1, the script, and two processes of the pipeline
  CHECK(inside("echo /proc/[0-9]* | wc -w").size() == 1);
  CHECK(inside("try ls /proc/" + own) == "refused: No such file or directory");
}

TEST_CASE("a script cannot read the environment, memory, files and descriptors of pid 1") {
  const std::string look =
      "for f in environ maps mem root/etc cwd fd/3 exe; do try head -c1 /proc/1/$f; done | sort -u";
  CHECK(outside("sleep 9 >/dev/null & for i in {1..500}; do grep -qa PATH /proc/$!/environ && break; sleep 0.01; done; "
                "head -c1 /proc/$!/environ | wc -c; kill $!") == "1");
  CHECK(inside(look) == "refused: Permission denied");
}

TEST_CASE("a script has no controlling terminal") {
  CHECK(inside("try bash -c ': </dev/tty'").substr(0, 8) == "refused:");
  CHECK(inside("cut -d' ' -f7 /proc/self/stat") == "0");
}

TEST_CASE("a script is the leader of its own session") {
  CHECK(inside("[ $(cut -d' ' -f6 /proc/$$/stat) = $$ ] && echo leader") == "leader");
}

TEST_CASE("a script starts with descriptors 0 to 2 and no others") {
  CHECK(inside("for f in /proc/$$/fd/*; do [ -e $f ] && echo -n \"${f##*/} \"; done") == "0 1 2 255 ");  // 255: run.sh
}

TEST_CASE("a script cannot read the host name of the machine") {
  CHECK(inside("uname -n; cat /etc/hostname") == "band\nband");
}

TEST_CASE("a script cannot read its control group, whose name contains server, slot and a count of executions") {
  const auto read_group = [](const std::string& pid) {
    return "cat /proc/" + pid + "/cgroup | grep -v ':/$'; echo end";
  };
  auto running = start(kHold + read_group("self") + "; " + read_group("1"));
  CHECK(held());
  const auto processes = processes_of(slot_uid());
  REQUIRE_FALSE(processes.empty());
  CHECK(outside(read_group(std::to_string(processes[0]))).find("/slot-0-") != std::string::npos);  // the control
  let_go();
  CHECK(running.get().out == "end\nend");
}

TEST_CASE("a script has exactly the documented environment variables") {
  CHECK(inside("env | cut -d= -f1 | grep -v -e '^_$' -e SHLVL | sort | tr '\\n' ' '") ==
        "BAND_LIB BAND_SCRIPT BASH_ENV CONFIG_PATH ERROR_PATH HOME INPUT_PATH LANG LOGNAME OUTPUT_PATH PATH PWD SHELL "
        "SSL_CERT_FILE TMPDIR USER ");
}
