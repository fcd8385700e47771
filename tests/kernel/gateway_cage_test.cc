// What a compromised band-gateway could do. Each act is first tried outside the cage, as a control.
#include "server/gateway/cage.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

#include "schemas/core/result.h"
#include "server/base/io.h"
#include "server/privileges/user.h"
#include "tests/kernel/gateway_world.h"
#include "tests/kernel/in_child.h"

using namespace band;
using namespace band::test;

namespace {

struct Act {
  const char* name;
  std::function<bool()> act;
};

bool opens(const char* path, int flags) { return static_cast<bool>(base::Fd(::open(path, flags | O_CLOEXEC, 0600))); }
bool makes(int family, int type) { return static_cast<bool>(base::Fd(::socket(family, type | SOCK_CLOEXEC, 0))); }

bool forks() {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(0);
  return pid > 0 && ::waitpid(pid, nullptr, 0) == pid;
}

bool listens() {
  const base::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return ::listen(socket.get(), 1) == 0;
}

bool starts_a_program() {
  char program[] = "/bin/true";
  char* const argv[] = {program, nullptr};
  ::execve(program, argv, argv + 1);
  return false;
}

const Act kForbidden[] = {
    {"open /etc/passwd", [] { return opens("/etc/passwd", O_RDONLY); }},
    {"list /", [] { return opens("/", O_RDONLY | O_DIRECTORY); }},
    {"open /proc/self/mem", [] { return opens("/proc/self/mem", O_RDWR); }},
    {"open /etc/hosts for writing", [] { return opens("/etc/hosts", O_WRONLY); }},
    {"make a file", [] { return opens("/tmp", O_TMPFILE | O_RDWR); }},
    {"fork", forks},
    {"listen", listens},
    {"signal others", [] { return ::kill(::getpid(), 0) == 0; }},
    {"trace", [] { return ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0; }},
    {"make a Unix socket", [] { return makes(AF_UNIX, SOCK_STREAM); }},
    {"make a netlink socket", [] { return makes(AF_NETLINK, SOCK_RAW); }},
    {"map code",
     [] { return ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED; }},
    {"start a program", starts_a_program},  // last: it replaces the process
};
const Act kNeeded[] = {
    {"open /etc/hosts", [] { return opens("/etc/hosts", O_RDONLY); }},
    {"open /etc/resolv.conf", [] { return opens("/etc/resolv.conf", O_RDONLY); }},
    {"make a TCP socket", [] { return makes(AF_INET, SOCK_STREAM); }},
    {"make a UDP socket", [] { return makes(AF_INET6, SOCK_DGRAM) || errno == EAFNOSUPPORT; }},
};

// Runs in a child process after leave_root() and, if `caged`, close_cage().
std::string tried(const Act& act, bool caged) {
  return in_child([&] {
    const auto cage = gateway::make_cage();
    if (!cage.ok()) return cage.error().message();
    if (const Status left = gateway::leave_root("band-gateway"); !left.ok()) return left.error().message();
    if (caged)
      if (const Status closed = gateway::close_cage(*cage); !closed.ok()) return closed.error().message();
    return std::string(act.act() ? "did" : "refused");
  });
}

// Runs as root, without leave_root().
std::string tried_as_root(const Act& act) {
  return in_child([&] { return std::string(act.act() ? "did" : "refused"); });
}

}  // namespace

TEST_CASE(
    "in its cage the gateway can open only the files of the resolver, and cannot start a program, send a signal or map "
    "executable memory") {
  for (const Act& act : kForbidden) {
    CAPTURE(act.name);
    // The control runs as root, because some acts need it. A started program reports nothing.
    const std::string outside = tried_as_root(act);
    CHECK(outside == (std::string(act.name) == "start a program" ? "" : "did"));
    CHECK(tried(act, true) == "refused");
  }
  for (const Act& act : kNeeded) {
    CAPTURE(act.name);
    CHECK(tried(act, true) == "did");
  }
}

TEST_CASE(
    "the process that serves an execution runs as band-gateway, without capabilities and with seccomp, and cannot be "
    "traced") {
  Served served({"any.example"});
  const auto ids = privileges::ids_of("band-gateway");
  REQUIRE(ids.ok());
  const std::string at = "/proc/" + std::to_string(served.pid());
  const std::string status = *base::read_file(at + "/status", 1 << 16);
  const std::string uid = std::to_string(ids->uid), gid = std::to_string(ids->gid);
  for (const std::string& line :
       {"Uid:\t" + uid + "\t" + uid + "\t" + uid + "\t" + uid + "\n",
        "Gid:\t" + gid + "\t" + gid + "\t" + gid + "\t" + gid + "\n", std::string("Groups:\t \n"),
        std::string("CapPrm:\t0000000000000000\n"), std::string("CapEff:\t0000000000000000\n"),
        std::string("CapBnd:\t0000000000000000\n"), std::string("CapAmb:\t0000000000000000\n"),
        std::string("NoNewPrivs:\t1\n"), std::string("Seccomp:\t2\n")})
    CHECK_MESSAGE(status.find(line) != std::string::npos, line << status);
  struct stat info {};
  REQUIRE(::stat((at + "/mem").c_str(), &info) == 0);
  CHECK(info.st_uid == 0);  // not dumpable
}
