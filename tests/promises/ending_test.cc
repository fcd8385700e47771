// When an execution has ended, no process, file or mount of it is left.
#include <doctest/doctest.h>
#include <signal.h>

#include "tests/promises/sandbox.h"

using namespace band::test;

namespace {

std::string mounts() { return outside("cat /proc/self/mounts"); }

}  // namespace

TEST_CASE("background processes are dead when the answer is sent") {
  auto running = start("sleep 99 & sleep 99 & " + kHold + "echo null >\"$OUTPUT_PATH\"");
  // The control: they are visible from here while they live.
  CHECK(wait_until(5'000, [] { return processes_of(slot_uid(), "sleep 99").size() == 2; }));
  CHECK(held());
  let_go();
  CHECK(running.get().code == "OK");
  CHECK(processes_of(slot_uid()).empty());
}

TEST_CASE("a process that was forked twice and has its own session is dead when the answer is sent") {
  auto running = start("band-probe daemonize 99; " + kHold);
  CHECK(held());
  CHECK(wait_until(5'000, [] { return processes_of(slot_uid(), "band-probe daemonize 99").size() == 1; }));
  let_go();
  CHECK(running.get().code == "OK");
  CHECK(processes_of(slot_uid()).empty());
  CHECK(outside("band-probe daemonize 0") == "did");
}

TEST_CASE("a script ends when its first process exits, even if another process holds its stdout") {
  auto running = start("sleep 99 & echo early");
  const bool soon = running.wait_for(std::chrono::seconds(5)) == std::future_status::ready;
  CHECK(soon);
  CHECK(running.get().out == "early");
}

TEST_CASE("the next execution of a slot finds no file of the previous execution") {
  run("echo mine >/tmp/left; echo mine >/work/left; mkfifo /dev/shm/left; band-probe memfd-sealed");
  CHECK(inside("ls -A /tmp /work /band/out") == "/band/out:\n\n/tmp:\n\n/work:");
}

TEST_CASE(
    "an execution has IPC and other namespaces of its own, so that its shared memory and names do not outlive it") {
  for (const std::string kind : {"ipc", "pid", "uts", "net", "mnt", "cgroup"}) {
    CAPTURE(kind);
    const std::string show = "readlink /proc/self/ns/" + kind;
    CHECK(inside(show).find(kind + ":[") == 0);
    CHECK(inside(show) != outside(show));
  }
}

TEST_CASE("no two executions have a namespace in common, and none has a namespace of the zygote") {
  const auto running = [](int slot) {
    const std::vector<pid_t> waiting = processes_of(slot_uid(slot), "sleep 271");
    return waiting.empty() ? pid_t{0} : waiting[0];
  };
  auto first = start(kHold, {}, 0), second = start(kHold, {}, 1);
  CHECK(held(0));
  CHECK(held(1));
  for (const std::string kind : {"ipc", "pid", "uts", "net", "mnt", "cgroup"}) {
    CAPTURE(kind);
    const auto namespace_of = [&](pid_t pid) {
      return outside("readlink /proc/" + std::to_string(pid) + "/ns/" + kind);
    };
    const std::string one = namespace_of(running(0)), other = namespace_of(running(1)), parent = namespace_of(zygote());
    CHECK(one.find(std::string(kind) + ":[") == 0);
    CHECK(one != other);
    CHECK(one != parent);
    CHECK(other != parent);
  }
  let_go(0);
  let_go(1);
  first.get();
  second.get();
}

TEST_CASE("the machine's mounts are the same before, during and after an execution") {
  const std::string before = mounts();
  auto running = start(kHold);
  CHECK(held());
  CHECK(mounts() == before);
  let_go();
  running.get();
  CHECK(mounts() == before);
}

TEST_CASE("a script killed from outside ends its execution with an error") {
  auto running = start(kHold);
  CHECK(held());
  for (const pid_t pid : processes_of(slot_uid())) ::kill(pid, SIGKILL);
  const Ran ran = running.get();
  CHECK(ran.code == "SCRIPT_FAILED");
  CHECK(ran.slot_usable);
}
