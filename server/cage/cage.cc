#include "server/cage/cage.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>

#include "server/base/fd.h"
#include "server/syscalls/bpf.h"

namespace band::cage {
namespace {

// clang-format off
constexpr std::initializer_list<int> kEverywhere = {
    // bytes
    SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(lseek), SCMP_SYS(close), SCMP_SYS(fstat),
    SCMP_SYS(poll), SCMP_SYS(ppoll),
    // existing sockets
    SCMP_SYS(accept4), SCMP_SYS(recvfrom), SCMP_SYS(recvmsg), SCMP_SYS(shutdown),
    // memory; mmap and mprotect are allowed below
    SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(brk),
    // locks and exit
    SCMP_SYS(futex), SCMP_SYS(sched_yield), SCMP_SYS(gettid), SCMP_SYS(getpid), SCMP_SYS(exit), SCMP_SYS(exit_group),
    SCMP_SYS(restart_syscall),
    // signals to itself
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack),
    // time and random numbers
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep), SCMP_SYS(gettimeofday),
    SCMP_SYS(getrandom),
#ifdef BAND_SANITIZED
    // A sanitizer reads /proc/self, names its threads, and tests with pipes whether memory is readable.
    SCMP_SYS(pipe), SCMP_SYS(pipe2), SCMP_SYS(openat), SCMP_SYS(open), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
    SCMP_SYS(prctl), SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(uname),
    SCMP_SYS(getrlimit), SCMP_SYS(prlimit64), SCMP_SYS(ioctl), SCMP_SYS(stat), SCMP_SYS(newfstatat),
#endif
};
// clang-format on

// `status`: /proc/self/status, opened before the filter was loaded.
Status read_back(const std::string& layer, int status) {
  char buffer[8192];
  const ssize_t n = ::read(status, buffer, sizeof buffer);
  if (n <= 0) return layer_error(layer, "cannot read /proc/self/status", errno);
  const std::string text(buffer, static_cast<std::size_t>(n));
  for (const char* line :
       {"\nNoNewPrivs:\t1\n", "\nSeccomp:\t2\n", "\nCapInh:\t0000000000000000\n", "\nCapPrm:\t0000000000000000\n",
        "\nCapEff:\t0000000000000000\n", "\nCapAmb:\t0000000000000000\n"}) {
    const std::string wanted = line;
    if (text.find(wanted) == std::string::npos)
      return layer_error(layer, "the kernel does not confirm " + wanted.substr(1, wanted.size() - 2), 0);
  }
  return done();
}

}  // namespace

Calls::Calls(std::string layer)
    : layer_(std::move(layer)), filter_(::seccomp_init(SCMP_ACT_ERRNO(EPERM)), ::seccomp_release) {
  if (!filter_) rc_ = -ENOMEM;
  if (rc_ != 0) return;
  // Kills the process: no program of band makes calls of another ABI (x32, i386) by mistake.
  note(::seccomp_attr_set(filter_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS));
  note(
      ::seccomp_attr_set(filter_.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2));  // a binary tree instead of a list: loads faster
  allow(kEverywhere);
  allow(SCMP_SYS(mmap), SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
  allow(SCMP_SYS(mprotect), SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
}

void Calls::allow(std::initializer_list<int> calls) {
  for (const int call : calls)
    // A negative number: this architecture does not have the call (arm64 has no poll and no select).
    if (rc_ == 0 && call >= 0) note(::seccomp_rule_add(filter_.get(), SCMP_ACT_ALLOW, call, 0));
}

void Calls::allow(int call, scmp_arg_cmp when) {
  if (rc_ == 0 && call >= 0) note(::seccomp_rule_add(filter_.get(), SCMP_ACT_ALLOW, call, 1, when));
}

void Calls::answer(int call, int err) {
  if (rc_ == 0 && call >= 0)
    note(::seccomp_rule_add(filter_.get(), SCMP_ACT_ERRNO(static_cast<unsigned>(err)), call, 0));
}

Result<Cage> compile(const Calls& calls) {
  if (calls.rc_ != 0) return layer_error(calls.layer_, "cannot make the seccomp filter", -calls.rc_);
  BAND_TRY(std::string filter, syscalls::compile_bpf(calls.filter_.get(), calls.layer_));
  return Cage{calls.layer_, std::move(filter)};
}

Status close(const Cage& cage, const std::function<Status()>& before) {
  const rlimit no_core{1, 1};  // 0 would not prevent a piped core dump (core(5))
  if (::setrlimit(RLIMIT_CORE, &no_core) != 0) return layer_error(cage.layer, "cannot disable core dumps", errno);
  // Secrets of callers pass through this process: other processes of the same user must not use ptrace or
  // /proc/PID/mem.
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || ::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0)
    return layer_error(cage.layer, "cannot make the process undumpable", errno);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return layer_error(cage.layer, "cannot set no_new_privs", errno);
  const base::Fd status(::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
  if (!status) return layer_error(cage.layer, "cannot open /proc/self/status", errno);
  BAND_CHECK(before());
  BAND_CHECK(syscalls::load_bpf(cage.filter, cage.layer, "the seccomp filter"));
  BAND_CHECK(read_back(cage.layer, status.get()));
  char* const nothing[] = {nullptr};
  if (::execve("/proc/self/exe", nothing, nothing) == 0 || errno != EPERM)
    return layer_error(cage.layer, "the seccomp filter allows execve", 0);
  return done();
}

}  // namespace band::cage
