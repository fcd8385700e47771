// Access to other processes, and to namespaces.
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include "tests/probes/probe.h"

namespace probe {
namespace {

int pidfd_of(int pid) {
  const int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0) untried("pidfd_open");
  return fd;
}

std::string read_child(const Arguments&) {
  static char there[] = "in the child", here[sizeof there];
  const iovec local{here, sizeof here}, remote{there, sizeof there};
  return did_unless(::process_vm_readv(sleeping_child(), &local, 1, &remote, 1, 0));
}

std::string write_child(const Arguments&) {
  static char there[] = "in the child", here[sizeof there];
  const iovec local{here, sizeof here}, remote{there, sizeof there};
  return did_unless(::process_vm_writev(sleeping_child(), &local, 1, &remote, 1, 0));
}

std::string clone_into(unsigned long flag) {
  const long pid = ::syscall(SYS_clone, flag | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (pid == 0) ::_exit(0);
  return did_unless(pid);
}

std::string clone_three(const Arguments&) {
  clone_args args{};
  args.exit_signal = SIGCHLD;
  const long pid = ::syscall(SYS_clone3, &args, sizeof args);
  if (pid == 0) ::_exit(0);
  return did_unless(pid);
}

std::string join_own(const Arguments&) {
  const int fd = ::open("/proc/self/ns/uts", O_RDONLY | O_CLOEXEC);
  if (fd < 0) untried("open a namespace");
  return did_unless(::setns(fd, CLONE_NEWUTS));
}

// The system calls of a 32-bit program: getpid is number 20 there.
std::string int80(const Arguments&) {
#if defined(__x86_64__)
  return in_child([] {
    long number = 20;
    asm volatile("int $0x80" : "+a"(number) : : "memory", "r8", "r9", "r10", "r11");
    errno = static_cast<int>(-number);
    return did_if(number > 0);
  });
#else
  untried("int 0x80 is of x86");
#endif
}

std::string x32(const Arguments&) {
  return in_child([] { return did_unless(::syscall(0x40000000L | SYS_getpid)); });
}

// A process that was forked twice, with its own session and no open descriptors, like one of `nohup setsid`.
std::string daemonize(const Arguments& arguments) {
  if (arguments.empty()) untried("daemonize SECONDS");
  if (::fork() == 0) {
    ::setsid();
    if (::fork() == 0) {
      for (int fd = 0; fd < 64; ++fd) ::close(fd);
      ::signal(SIGTERM, SIG_IGN);
      ::signal(SIGHUP, SIG_IGN);
      ::sleep(static_cast<unsigned>(std::atoi(arguments[0].c_str())));
    }
    ::_exit(0);
  }
  ::wait(nullptr);
  return "did";
}

std::string limit(int pid) {
  const rlimit none{0, 0};
  return did_unless(::syscall(SYS_prlimit64, pid, RLIMIT_NOFILE, &none, nullptr));
}

std::string schedule(int pid) {
  const sched_param ordinary{};
  return did_unless(::sched_setscheduler(pid, SCHED_IDLE, &ordinary));
}

std::string schedule_by_attributes(int pid) {
  struct {
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime, deadline, period;
  } idle{48, SCHED_IDLE, 0, 0, 0, 0, 0, 0};
  return did_unless(::syscall(SYS_sched_setattr, pid, &idle, 0));
}

std::string keep_to_one_processor(int pid) {
  cpu_set_t own;
  if (::sched_getaffinity(0, sizeof own, &own) != 0) untried("sched_getaffinity");
  return did_unless(::sched_setaffinity(pid, sizeof own, &own));
}

// Lowers the priority of all processes of the user. Run as root, it first changes to an unused uid.
std::string slow_user(const Arguments&) {
  return in_child([] {
    if (::geteuid() == 0 && ::setresuid(0x7ffffff0, 0x7ffffff0, 0x7ffffff0) != 0) untried("setresuid");
    return did_unless(::setpriority(PRIO_USER, 0, 19));
  });
}

std::string set_own_ids(const Arguments&) { return did_unless(::setresuid(0, 0, 0)); }

}  // namespace

void add_process_acts(Acts& acts) {
  acts["ptrace"] = [](const Arguments&) { return did_unless(::ptrace(PTRACE_SEIZE, sleeping_child(), nullptr, 0)); };
  acts["process_vm_readv"] = read_child;
  acts["process_vm_writev"] = write_child;
  acts["pidfd_getfd"] = [](const Arguments&) {
    return did_unless(::syscall(SYS_pidfd_getfd, pidfd_of(sleeping_child()), 1, 0));
  };
  acts["limit-own"] = [](const Arguments&) { return limit(0); };
  acts["limit-other"] = [](const Arguments&) { return limit(sleeping_child()); };
  acts["schedule-own"] = [](const Arguments&) { return schedule(0); };
  acts["schedule-other"] = [](const Arguments&) { return schedule(sleeping_child()); };
  acts["schedule-other-by-attributes"] = [](const Arguments&) { return schedule_by_attributes(sleeping_child()); };
  acts["slow-own"] = [](const Arguments&) { return did_unless(::setpriority(PRIO_PROCESS, 0, 19)); };
  acts["slow-other"] = [](const Arguments&) {
    return did_unless(::setpriority(PRIO_PROCESS, static_cast<id_t>(sleeping_child()), 19));
  };
  acts["slow-group"] = [](const Arguments&) {
    return did_unless(::setpriority(PRIO_PGRP, static_cast<id_t>(::getpgrp()), 0));
  };
  acts["slow-user"] = slow_user;
  acts["place-own-thread"] = [](const Arguments&) { return keep_to_one_processor(::gettid()); };
  acts["kcmp"] = [](const Arguments&) {
    return did_unless(::syscall(SYS_kcmp, ::getpid(), sleeping_child(), 1, 0, 0));
  };
  acts["process_madvise"] = [](const Arguments&) {
    static char page[8192];
    const iovec range{reinterpret_cast<void*>((reinterpret_cast<unsigned long>(page) + 4095) & ~4095ul), 4096};
    return did_unless(::syscall(SYS_process_madvise, pidfd_of(sleeping_child()), &range, 1, 20 /* MADV_COLD */, 0));
  };
  const std::pair<const char*, unsigned long> kinds[] = {
      {"user", CLONE_NEWUSER}, {"mount", CLONE_NEWNS}, {"net", CLONE_NEWNET},      {"pid", CLONE_NEWPID},
      {"ipc", CLONE_NEWIPC},   {"uts", CLONE_NEWUTS},  {"cgroup", CLONE_NEWCGROUP}};
  for (const auto& [name, flag] : kinds) {
    acts[std::string("clone-") + name] = [f = flag](const Arguments&) { return clone_into(f); };
    acts[std::string("unshare-") + name] = [f = flag](const Arguments&) {
      return did_unless(::unshare(static_cast<int>(f)));
    };
  }
  acts["clone3"] = clone_three;
  acts["setns"] = join_own;
  acts["int80"] = int80;
  acts["x32"] = x32;
  acts["daemonize"] = daemonize;
  acts["become-root"] = set_own_ids;
}

}  // namespace probe
