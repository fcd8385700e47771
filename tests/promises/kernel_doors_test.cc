// System calls on other processes, on namespaces and on parts of the kernel.
#include <doctest/doctest.h>

#include "tests/promises/sandbox.h"

using namespace band::test;

namespace {

void refused(const std::string& act) {
  CAPTURE(act);
  // The control: as root, in namespaces of its own.
  CHECK(outside("unshare -mu band-probe " + act) == "did");
  const std::string result = inside("band-probe " + act);
  CHECK_MESSAGE((result == "refused EPERM" || result == "refused ENOSYS"), result);
}

}  // namespace

TEST_CASE("a script cannot trace another process") { refused("ptrace"); }
TEST_CASE("a script cannot read another process's memory") { refused("process_vm_readv"); }
TEST_CASE("a script cannot write another process's memory") { refused("process_vm_writev"); }
TEST_CASE("a script cannot copy descriptors of another process") { refused("pidfd_getfd"); }
TEST_CASE("a script cannot compare kernel objects of two processes (kcmp)") { refused("kcmp"); }
TEST_CASE("a script cannot change the handling of another process's memory (process_madvise)") {
  refused("process_madvise");
}

TEST_CASE("a script can change limits, scheduling and priority only of its own process") {
  for (const char* act :
       {"limit-other", "schedule-other", "schedule-other-by-attributes", "slow-other", "slow-group", "slow-user"})
    refused(act);
  for (const char* own : {"limit-own", "schedule-own", "slow-own", "place-own-thread"}) {
    CAPTURE(own);
    CHECK(inside(std::string("band-probe ") + own) == "did");
  }
}

TEST_CASE("a script cannot make a socket whose close blocks (SO_LINGER)") { refused("linger"); }
TEST_CASE("a script cannot join a namespace") { refused("setns"); }

TEST_CASE("a script cannot make a namespace by unshare") {
  for (const char* kind : {"user", "mount", "net", "pid", "ipc", "uts", "cgroup"})
    refused(std::string("unshare-") + kind);
}

TEST_CASE("a script cannot make a namespace by clone") {
  for (const char* kind : {"user", "mount", "net", "pid", "ipc", "uts", "cgroup"})
    refused(std::string("clone-") + kind);
}

TEST_CASE("clone3 does not exist for a script, so that libraries fall back to clone") {
  CHECK(outside("band-probe clone3") == "did");
  CHECK(inside("band-probe clone3") == "refused ENOSYS");
}

TEST_CASE("a script cannot use the system calls of the new mount interface") {
  refused("open_tree");
  refused("fsopen");
}

TEST_CASE("a script cannot load BPF") { refused("bpf"); }
TEST_CASE("a script cannot use the performance counters") { refused("perf_event_open"); }
TEST_CASE("a script cannot use io_uring") { refused("io_uring_setup"); }
TEST_CASE("a script cannot handle page faults in user space (userfaultfd)") { refused("userfaultfd"); }
TEST_CASE("a script cannot read the kernel's keyrings") { refused("keyctl"); }
TEST_CASE("a script cannot add a key to the kernel's keyrings") { refused("add_key"); }
TEST_CASE("a script cannot make all readable memory executable (personality)") { refused("personality"); }
TEST_CASE("a script cannot get file handles (name_to_handle_at)") { refused("name_to_handle_at"); }
TEST_CASE("a script cannot set the host's name") { refused("sethostname"); }
TEST_CASE("a script cannot read the kernel's log") { refused("syslog"); }
TEST_CASE("a script cannot watch a file system (fanotify)") { refused("fanotify_init"); }

TEST_CASE("a 32-bit system call kills the process that makes it") {
  CHECK(outside("band-probe int80") == "did");
  CHECK(inside("band-probe int80") == "killed SIGSYS");
}

TEST_CASE("an x32 system call kills the process that makes it") {
  CHECK(outside("band-probe x32").substr(0, 6) != "killed");
  CHECK(inside("band-probe x32") == "killed SIGSYS");
}
