#include "server/http/cage.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/capability.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "server/base/io.h"

namespace band::http {
namespace {

Error failed(std::string doing, int err) { return layer_error("http", std::move(doing), err); }

Status drop_bounding_set() {
  for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability)
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) return failed("drop the bounding set", errno);
  return done();
}

Status drop_capabilities() {
  if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0)
    return failed("clear ambient capabilities", errno);
  const std::unique_ptr<std::remove_pointer_t<cap_t>, int (*)(void*)> none(::cap_init(), ::cap_free);
  if (!none || ::cap_set_proc(none.get()) != 0) return failed("drop the capabilities", errno);
  return done();
}

// Calls that need no look at their arguments.
// clang-format off
constexpr int kAllowed[] = {
    // bytes
    SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(pread64), SCMP_SYS(lseek), SCMP_SYS(close), SCMP_SYS(fstat),
    SCMP_SYS(poll), SCMP_SYS(ppoll),
    // sockets that exist; sendto and sendmsg below
    SCMP_SYS(accept4), SCMP_SYS(recvfrom), SCMP_SYS(recvmsg), SCMP_SYS(shutdown),
    // bodies; fcntl below
    SCMP_SYS(memfd_create),
    // memory; mmap and mprotect below
    SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(brk),
    // threads; clone below
    SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity),
    SCMP_SYS(gettid), SCMP_SYS(getpid), SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(restart_syscall),
    // signals to itself
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack),
    // time and chance
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep), SCMP_SYS(gettimeofday),
    SCMP_SYS(getrandom),
#ifdef __SANITIZE_ADDRESS__
    // A sanitizer reads /proc/self, names its threads, and asks pipes whether memory can be read.
    SCMP_SYS(pipe), SCMP_SYS(pipe2), SCMP_SYS(openat), SCMP_SYS(open), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
    SCMP_SYS(prctl), SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(uname),
    SCMP_SYS(getrlimit), SCMP_SYS(prlimit64), SCMP_SYS(ioctl), SCMP_SYS(stat), SCMP_SYS(newfstatat),
#endif
};
// clang-format on

int add_conditional_rules(scmp_filter_ctx filter) {
  int rc = 0;
  const auto allow = [&](int call, scmp_arg_cmp compare) {
    if (rc == 0) rc = ::seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1, compare);
  };
  allow(SCMP_SYS(clone), SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
  // Its flags are behind a pointer. ENOSYS sends glibc back to clone; EPERM would make it give up.
  if (rc == 0) rc = ::seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  allow(SCMP_SYS(mmap), SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
  allow(SCMP_SYS(mprotect), SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
  allow(SCMP_SYS(socketpair), SCMP_A0(SCMP_CMP_EQ, AF_UNIX));
  // To the peer that a socket has: an address, or MSG_FASTOPEN, would be a connect by another name.
  allow(SCMP_SYS(sendto), SCMP_A4(SCMP_CMP_EQ, 0));
  allow(SCMP_SYS(sendmsg), SCMP_A2(SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, 0));
  // Not F_SETOWN: it sends signals.
  for (const int command : {F_GETFD, F_SETFD, F_GETFL, F_ADD_SEALS, F_GET_SEALS})
    allow(SCMP_SYS(fcntl), SCMP_A1(SCMP_CMP_EQ, static_cast<scmp_datum_t>(command)));
  // abort() only.
  if (rc == 0)
    rc = ::seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
                            SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(::getpid())));
  return rc;
}

Status load_filter() {
  const std::unique_ptr<void, void (*)(void*)> filter(::seccomp_init(SCMP_ACT_ERRNO(EPERM)), ::seccomp_release);
  if (!filter) return failed("make the seccomp filter", ENOMEM);
  // Calls of another ABI (x32, i386) are nobody's mistake.
  int rc = ::seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  for (const int call : kAllowed) {
    // Negative: this architecture does not have it (arm64 has no poll and no select).
    if (rc == 0 && call >= 0) rc = ::seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, call, 0);
  }
  if (rc == 0) rc = add_conditional_rules(filter.get());
  if (rc == 0) rc = ::seccomp_load(filter.get());
  if (rc != 0) return failed("load the seccomp filter", -rc);
  return done();
}

// `status`: /proc/self/status, opened while that was possible.
Status read_back(int status) {
  char buffer[8192];
  const ssize_t n = ::pread(status, buffer, sizeof buffer, 0);
  if (n <= 0) return failed("read /proc/self/status", errno);
  const std::string text(buffer, static_cast<std::size_t>(n));
  for (const char* line :
       {"\nNoNewPrivs:\t1\n", "\nSeccomp:\t2\n", "\nCapInh:\t0000000000000000\n", "\nCapPrm:\t0000000000000000\n",
        "\nCapEff:\t0000000000000000\n", "\nCapAmb:\t0000000000000000\n"})
    if (text.find(line) == std::string::npos)
      return failed("the kernel does not confirm" + std::string(line).substr(1), 0);
  return done();
}

// The forbidden acts, tried.
Status try_forbidden() {
  char* const nothing[] = {nullptr};
  if (::execve("/proc/self/exe", nothing, nothing) == 0 || errno != EPERM) return failed("execve is not closed", 0);
  if (base::Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))) return failed("socket is not closed", 0);
#ifndef __SANITIZE_ADDRESS__
  if (base::Fd(::open("/proc/self/status", O_RDONLY | O_CLOEXEC))) return failed("open is not closed", 0);
#endif
  return done();
}

}  // namespace

Status leave_root(const std::string& user) {
  if (::geteuid() == 0) {
    errno = 0;
    const passwd* entry = ::getpwnam(user.c_str());
    if (entry == nullptr || entry->pw_uid == 0)
      return layer_error("http",
                         "become user " + user + (entry == nullptr ? ": there is no such user" : ": that is root"),
                         errno, "run `band setup --target local`, which makes it");
    const uid_t uid = entry->pw_uid;
    const gid_t gid = entry->pw_gid;
    BAND_CHECK(drop_bounding_set());  // while CAP_SETPCAP is there
    if (::setgroups(0, nullptr) != 0 || ::setresgid(gid, gid, gid) != 0 || ::setresuid(uid, uid, uid) != 0)
      return failed("become user " + user, errno);
  }
  BAND_CHECK(drop_capabilities());
  uid_t real = 0, effective = 0, saved = 0;
  if (::getresuid(&real, &effective, &saved) != 0 || real == 0 || effective == 0 || saved == 0)
    return failed("leave root: a user id is still 0", 0);
  return done();
}

Status close_cage() {
  const rlimit no_core{1, 1};  // 0 would not stop a piped core (core(5))
  if (::setrlimit(RLIMIT_CORE, &no_core) != 0) return failed("forbid core dumps", errno);
  // Tokens' hashes and callers' secrets pass through: no ptrace, no /proc/PID/mem by the same user.
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || ::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0)
    return failed("become undumpable", errno);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("set no_new_privs", errno);
  const base::Fd status(::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
  if (!status) return failed("open /proc/self/status", errno);
  BAND_CHECK(load_filter());
  BAND_CHECK(read_back(status.get()));
  return try_forbidden();
}

}  // namespace band::http
