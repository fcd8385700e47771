// The inside layers, each separately in a child process.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "server/base/io.h"
#include "server/landlock/landlock.h"
#include "server/limits/limits.h"
#include "server/privileges/privileges.h"
#include "server/syscalls/syscalls.h"
#include "tests/kernel/in_child.h"
#include "tests/user_ids.h"

using namespace band;
using namespace band::test;

namespace {

const privileges::Ids kIds{own_user_ids(), own_user_ids()};

bool can_open(const char* path, int flags) { return ::close(::open(path, flags | O_CLOEXEC)) == 0; }

std::string restricted(const landlock::Ruleset& plan) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return "no no_new_privs";
  return said(landlock::restrict(plan));
}

// Returns the expected result of an act that Landlock refuses from an ABI on. An older kernel allows it, and missing()
// must list it.
std::string refused_from(int abi, const char* what, const char* refused) {
  const auto lacks = landlock::missing(landlock::abi());
  const bool named = std::any_of(lacks.begin(), lacks.end(),
                                 [&](const std::string& each) { return each.find(what) != std::string::npos; });
  CHECK(named == (landlock::abi() < abi));
  return named ? "did" : refused;
}

std::string filtered_for_setup() {
  static const auto filter = syscalls::make_filter();
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return "no no_new_privs";
  return said(syscalls::load_for_setup(*filter));
}

std::string filtered() {
  static const auto filter = syscalls::make_filter();
  if (const std::string loaded = filtered_for_setup(); loaded != "did") return loaded;
  return said(syscalls::load_for_script(*filter));
}

std::string status_lines(const std::string& key) {
  const std::string text = *base::read_file("/proc/self/status", 1 << 16);
  const std::size_t at = text.find(key + ":\t");
  return text.substr(at + key.size() + 2, text.find('\n', at) - at - key.size() - 2);
}

int open_terminal() {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0) return -1;
  return ::open(::ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
}

}  // namespace

TEST_CASE("the kernel supports Landlock") { CHECK(landlock::abi() >= 1); }

TEST_CASE("with Landlock, only the granted paths can be opened, and only with the granted rights") {
  const auto act = [](bool walled) {
    return in_child([walled] {
      const std::string set = walled ? restricted({{{"/usr", layout::Access::Read}}}) : "did";
      std::string result = set;
      result += can_open("/usr/bin/true", O_RDONLY) ? " read" : " -";
      result += can_open("/usr/bin/true", O_WRONLY | O_APPEND) ? " write" : " -";
      result += can_open("/etc/hostname", O_RDONLY) ? " other" : " -";
      const pid_t pid = ::fork();
      if (pid == 0) {
        ::execl("/usr/bin/true", "true", nullptr);
        ::_exit(9);
      }
      int status = 0;
      ::waitpid(pid, &status, 0);
      return result + (status == 0 ? " exec" : " -");
    });
  };
  CHECK(act(false) == "did read write other exec");
  CHECK(act(true) == "did read - - -");
}

TEST_CASE("with Landlock, a process can neither bind nor connect a TCP socket") {
  const auto bind = [](bool walled) {
    return in_child([walled] {
      if (walled) (void)restricted({});
      sockaddr_in any{};
      any.sin_family = AF_INET;
      return did_if(::bind(::socket(AF_INET, SOCK_STREAM, 0), reinterpret_cast<sockaddr*>(&any), sizeof any) == 0);
    });
  };
  CHECK(bind(false) == "did");
  CHECK(bind(true) == refused_from(4, "TCP bind", "refused EACCES"));
}

TEST_CASE("with Landlock, a process cannot send a signal to a process outside of its domain") {
  const pid_t own = ::getpid();
  CHECK(in_child([own] { return did_if(::kill(own, 0) == 0); }) == "did");
  CHECK(in_child([own] {
          const std::string set = restricted({});
          return set + ", " + did_if(::kill(own, 0) == 0);
        }) == "did, " + refused_from(6, "signal scope", "refused EPERM"));
}

TEST_CASE("a Landlock rule for a path that does not exist is an error") {
  CHECK(in_child([] {
          return restricted({{{"/no/such/place", layout::Access::Read}}});
        }).find("/no/such/place") != std::string::npos);
}

TEST_CASE("Landlock without no_new_privs is an error for a process without capabilities") {
  CHECK(in_child([] {
          if (::setresuid(kIds.uid, kIds.uid, kIds.uid) != 0) return std::string("no uid");
          return said(landlock::restrict({}));
        }).find("restrict this process") != std::string::npos);
}

TEST_CASE("after become(), a process has the ids of the slot and no capability in any set") {
  CHECK(in_child([] {
          const Status became = privileges::become(kIds);
          std::string all;
          for (const char* key : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"})
            if (status_lines(key) != "0000000000000000") all += key;
          return said(became) + all + " " + std::to_string(::getuid()) + " " + std::to_string(::getgroups(0, nullptr)) +
                 " " + status_lines("NoNewPrivs");
        }) == "did " + std::to_string(kIds.uid) + " 0 1");
}

TEST_CASE("after become(), a process cannot become root again") {
  CHECK(in_child([] {
          (void)privileges::become(kIds);
          return did_if(::setresuid(0, 0, 0) == 0);
        }) == "refused EPERM");
}

TEST_CASE("become() refuses uid 0 and gid 0") {
  CHECK(in_child([] { return said(privileges::become({0, 5})); }).find("refused") != std::string::npos);
  CHECK(in_child([] { return said(privileges::become({5, 0})); }).find("refused") != std::string::npos);
}

TEST_CASE("after give_up(), a process with uid 0 has no capability, also after execve(2)") {
  const auto effective = [](bool given_up) {
    return in_child([given_up] {
      if (given_up && !privileges::give_up().ok()) return std::string("failed");
      ::dup2(1, 1);
      const pid_t pid = ::fork();
      if (pid == 0) {
        ::execl("/usr/bin/grep", "grep", "-q", "^CapEff:.0000000000000000$", "/proc/self/status", nullptr);
        ::_exit(9);
      }
      int status = 0;
      ::waitpid(pid, &status, 0);
      return std::string(WEXITSTATUS(status) == 0 ? "none" : "some");
    });
  };
  CHECK(effective(false) == "some");
  CHECK(effective(true) == "none");
}

TEST_CASE("keep_only() keeps only the named capabilities, also in the bounding set") {
  CHECK(in_child([] {
          const Status kept = privileges::keep_only({CAP_KILL, CAP_CHOWN});
          return said(kept) + " " + status_lines("CapPrm") + " " + status_lines("CapBnd");
        }) == "did 0000000000000021 0000000000000021");
}

TEST_CASE("with the seccomp filter, ioctl TIOCSTI is refused, for any upper half of its argument") {
  for (const unsigned long command : {0x5412ul, 0x1234567800005412ul}) {
    const auto push = [command](bool walled) {
      return in_child([walled, command] {
        const int terminal = open_terminal();
        if (terminal < 0) return std::string("no terminal");
        if (walled && filtered() != "did") return std::string("no filter");
        return did_if(::syscall(SYS_ioctl, terminal, command, "x") == 0);
      });
    };
    CAPTURE(command);
    CHECK(push(false) == "did");
    CHECK(push(true) == "refused EPERM");
  }
}

TEST_CASE("with the seccomp filter, the line discipline of a terminal cannot be changed") {
  const auto change = [](bool walled) {
    return in_child([walled] {
      const int terminal = open_terminal();
      if (terminal < 0) return std::string("no terminal");
      if (walled && filtered() != "did") return std::string("no filter");
      const int discipline = 0;  // N_TTY, the present one, so that the test loads no module
      return did_if(::ioctl(terminal, TIOCSETD, &discipline) == 0);
    });
  };
  CHECK(change(false) == "did");
  CHECK(change(true) == "refused EPERM");
}

TEST_CASE("with the seccomp filter, the size of a terminal can still be read") {
  CHECK(in_child([] {
          const int terminal = open_terminal();
          (void)filtered();
          winsize size{};
          return did_if(::ioctl(terminal, TIOCGWINSZ, &size) == 0);
        }) == "did");
}

TEST_CASE("arguments with bits in the upper half do not bypass the seccomp filter") {
  constexpr unsigned long kUpper = 0x100000000ul;
  const auto chmod = [](bool walled) {
    return in_child([walled] {
      char file[] = "/tmp/band-kernel-test-XXXXXX";
      const int fd = ::mkstemp(file);
      ::unlink(file);
      if (walled && filtered() != "did") return std::string("no filter");
      return did_if(::syscall(SYS_fchmod, fd, kUpper | 04755) == 0);
    });
  };
  CHECK(chmod(false) == "did");
  CHECK(chmod(true) == "refused EPERM");
  const auto memfd = [](bool walled) {
    return in_child([walled] {
      if (walled && filtered() != "did") return std::string("no filter");
      return did_if(::syscall(SYS_memfd_create, "x", kUpper) >= 0);
    });
  };
  CHECK(memfd(false) == "did");
  CHECK(memfd(true) == "refused EPERM");
}

TEST_CASE("with the seccomp filter, clone3 fails with ENOSYS, and threads start nevertheless") {
  CHECK(in_child([] {
          if (filtered() != "did") return std::string("no filter");
          pthread_t thread;
          const int failed = ::pthread_create(
              &thread, nullptr, [](void*) -> void* { return nullptr; }, nullptr);
          return failed != 0 ? std::to_string(failed) : did_if(::pthread_join(thread, nullptr) == 0);
        }) == "did");
}

TEST_CASE("the calls that set up a view are possible with the zygote's filter, and refused before a script starts") {
  struct Call {
    const char* name;
    long (*call)();  // changes nothing
    const char *for_setup, *for_script;
  };
  constexpr Call kCalls[] = {
      {"clone3", [] { return ::syscall(SYS_clone3, nullptr, 0); }, "refused EINVAL", "refused ENOSYS"},
      {"mount", [] { return ::syscall(SYS_mount, "", "", "", 0, ""); }, "refused ENOENT", "refused EPERM"},
      {"move_mount", [] { return ::syscall(SYS_move_mount, -1, "", -1, "", ~0u); }, "refused EINVAL", "refused EPERM"},
      {"pivot_root", [] { return ::syscall(SYS_pivot_root, "", ""); }, "refused ENOENT", "refused EPERM"},
      {"seccomp", [] { return ::syscall(SYS_seccomp, ~0u, 0, nullptr); }, "refused EINVAL", "refused ENOSYS"},
      {"setns", [] { return ::syscall(SYS_setns, -1, 0); }, "refused EBADF", "refused EPERM"},
      {"umount2", [] { return ::syscall(SYS_umount2, "", 0); }, "refused ENOENT", "refused EPERM"},
      {"unshare", [] { return ::syscall(SYS_unshare, 0); }, "did", "refused EPERM"},
  };
  for (const Call& each : kCalls) {
    CAPTURE(each.name);
    const auto with = [&each](std::string (*load)()) {
      return in_child([&] { return load() != "did" ? std::string("no filter") : did_if(each.call() == 0); });
    };
    CHECK(with([] { return std::string("did"); }) == each.for_setup);
    CHECK(with(filtered_for_setup) == each.for_setup);
    CHECK(with(filtered) == each.for_script);
  }
}

TEST_CASE("the zygote's filter already refuses calls that are not on the list, and arguments") {
  const auto with = [](bool walled, long (*call)()) {
    return in_child([=] {
      if (walled && filtered_for_setup() != "did") return std::string("no filter");
      return did_if(call() >= 0);
    });
  };
  const auto memfd = [] { return ::syscall(SYS_memfd_create, "x", 0); };
  CHECK(with(false, memfd) == "did");
  CHECK(with(true, memfd) == "refused EPERM");
  const auto kcmp = [] { return ::syscall(SYS_kcmp, ::getpid(), ::getpid(), 0, 0, 0); };
  CHECK(with(false, kcmp) == "did");
  CHECK(with(true, kcmp) == "refused EPERM");
}

TEST_CASE("loading the seccomp filter without no_new_privs is an error for a process without capabilities") {
  const auto filter = syscalls::make_filter();
  REQUIRE(filter.ok());
  CHECK(in_child([&] {
          if (::setresuid(kIds.uid, kIds.uid, kIds.uid) != 0) return std::string("no uid");
          return said(syscalls::load_for_setup(*filter));
        }).find("load the list filter") != std::string::npos);
}

TEST_CASE("loading the last seccomp filter without the first two is an error") {
  CHECK(in_child([] {
          const auto filter = syscalls::make_filter();
          if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return std::string("no no_new_privs");
          return said(syscalls::load_for_script(*filter));
        }).find("the filter is not enforced: the system call process_vm_readv") != std::string::npos);
}

TEST_CASE("loading an empty seccomp filter is an error") {
  for (const auto load : {syscalls::load_for_setup, syscalls::load_for_script, syscalls::load_for_watcher})
    CHECK(in_child([load] { return said(load({})); }).find("not a BPF program") != std::string::npos);
}

TEST_CASE("apply() sets the hard and the soft rlimits, and keeps a lower hard limit") {
  CHECK(in_child([] {
          const rlimit low{50, 50};
          ::setrlimit(RLIMIT_NOFILE, &low);
          const Status applied = limits::apply({{RLIMIT_NOFILE, 100}, {RLIMIT_CORE, 0}, {RLIMIT_NPROC, 7}});
          rlimit files{}, processes{};
          ::getrlimit(RLIMIT_NOFILE, &files);
          ::getrlimit(RLIMIT_NPROC, &processes);
          return said(applied) + " " + std::to_string(files.rlim_max) + " " + std::to_string(processes.rlim_max) + " " +
                 std::to_string(processes.rlim_cur);
        }) == "did 50 7 7");
}
