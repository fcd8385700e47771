#include "server/base/child.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace band::base {
namespace {

struct Plan {
  char* const* argv;
  char* const* envp;
  const int* fds;
  int fd_count;
  bool new_session;
  sigset_t* unblock;
  volatile int error;  // written by the child, which shares the parent's memory until exec
};

// Runs in the child, on the parent's stack and memory, so it makes only system calls. Not instrumented: it does not
// return, and AddressSanitizer's red zones of its frame would remain marked on the parent's stack.
[[noreturn, gnu::no_sanitize("address", "undefined", "thread")]] void become(Plan* plan) {
  const int high = plan->fd_count + 3;
  int moved[16];
  if (plan->new_session && ::setsid() < 0) goto failed;
  // First duplicated above the target numbers, then into place, because a source may have the number of a target.
  for (int i = 0; i < plan->fd_count; ++i) {
    moved[i] = ::fcntl(plan->fds[i], F_DUPFD_CLOEXEC, high);
    if (moved[i] < 0) goto failed;
  }
  // Direct system calls: ThreadSanitizer intercepts dup3() of the C library and would record the child's descriptors as
  // the parent's, because both share memory.
  for (int i = 0; i < plan->fd_count; ++i)
    if (::syscall(SYS_dup3, moved[i], i, 0) < 0) goto failed;
  // Closes all other descriptors: a library in another thread may have opened one without O_CLOEXEC.
  if (::syscall(SYS_close_range, plan->fd_count, ~0u, 0x4u /* CLOSE_RANGE_CLOEXEC */) != 0) goto failed;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction current {};
    if (::sigaction(signal, nullptr, &current) == 0 && current.sa_handler != SIG_DFL) {
      struct sigaction standard {};
      standard.sa_handler = SIG_DFL;
      ::sigaction(signal, &standard, nullptr);
    }
  }
  ::sigprocmask(SIG_SETMASK, plan->unblock, nullptr);
  ::execve(plan->argv[0], plan->argv, plan->envp);
failed:
  plan->error = errno;
  ::_exit(127);
}

// clone3 as inline assembly, without a function call: parent and child share the stack, and the child's first call
// would overwrite the return address of the parent's syscall(2) (vfork(2) in glibc keeps it in a register for this
// reason).
[[gnu::noinline]] long clone_and_become(clone_args* args, Plan* plan) {
#if defined(__x86_64__)
  long pid = SYS_clone3;
  asm volatile("syscall" : "+a"(pid) : "D"(args), "S"(sizeof *args) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long pid asm("x0") = reinterpret_cast<long>(args);
  register long size asm("x1") = sizeof *args;
  register long number asm("x8") = SYS_clone3;
  asm volatile("svc 0" : "+r"(pid) : "r"(size), "r"(number) : "memory");
#else
#error "clone3 for this architecture"
#endif
  if (pid == 0) become(plan);
  if (pid < 0) {
    errno = static_cast<int>(-pid);
    return -1;
  }
  return pid;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const std::string& text : strings) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

}  // namespace

Child& Child::operator=(Child&& other) noexcept {
  if (this != &other) {
    end();
    pid_ = std::exchange(other.pid_, -1);
    pidfd_ = std::move(other.pidfd_);
  }
  return *this;
}

void Child::end() {
  if (pid_ <= 0) return;
  kill(SIGKILL);
  wait(-1);
}

void Child::abandon() {
  pid_ = -1;
  pidfd_.reset();
}

void Child::kill(int signal) const {
  if (pid_ > 0) ::syscall(SYS_pidfd_send_signal, pidfd_.get(), signal, nullptr, 0);
}

std::optional<Exit> Child::wait(int ms) {
  if (pid_ <= 0) return Exit{};
  pollfd readable{pidfd_.get(), POLLIN, 0};
  int ready = 0;
  // A signal restarts the whole timeout: the result may be late, but not early. A wrong nullopt would retire a good
  // slot.
  while ((ready = ::poll(&readable, 1, ms)) < 0 && errno == EINTR) {
  }
  if (ready <= 0) return std::nullopt;
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) != 0)
    if (errno != EINTR) break;
  pid_ = -1;
  pidfd_.reset();
  return Exit{info.si_code != CLD_EXITED, info.si_status};
}

Result<Child> spawn(const Spawn& what) {
  if (what.fds.size() > 16)
    return layer_error("child", "cannot start " + what.argv.at(0) + ": too many descriptors", 0);
  auto argv = pointers(what.argv);
  auto envp = pointers(what.env);
  sigset_t all, before, none;
  ::sigfillset(&all);
  ::sigemptyset(&none);
  Plan plan{argv.data(), envp.data(), what.fds.data(), static_cast<int>(what.fds.size()), what.new_session, &none, 0};
  int pidfd = -1;
  clone_args args{};
  args.flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD;
  args.pidfd = reinterpret_cast<__u64>(&pidfd);
  args.exit_signal = SIGCHLD;
  // No signal handler of the parent may run in the child while it shares the parent's memory.
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const long pid = clone_and_become(&args, &plan);
  const int clone_error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return layer_error("child", "cannot start " + what.argv.at(0), clone_error);
  Child child(static_cast<pid_t>(pid), Fd(pidfd));
  if (plan.error != 0) return layer_error("child", "cannot start " + what.argv.at(0), plan.error);
  return child;
}

}  // namespace band::base
