#include "tests/kernel/killed_at.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace band::test {
namespace {

using Call = __ptrace_syscall_info;

std::string descriptor_path(pid_t pid, std::uint64_t fd) {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/fd/" + std::to_string(static_cast<int>(fd)),
                                       ignored)
      .string();
}

std::string text_at(pid_t pid, std::uint64_t address) {
  char text[512];  // the read is shorter when the stack or heap ends before
  iovec here{text, sizeof text}, there{reinterpret_cast<void*>(address), sizeof text};
  const ssize_t got = ::process_vm_readv(pid, &here, 1, &there, 1, 0);
  return std::string(text, ::strnlen(text, static_cast<std::size_t>(std::max<ssize_t>(got, 0))));
}

std::string path_at(pid_t pid, std::uint64_t directory, std::uint64_t name) {
  return descriptor_path(pid, directory) + "/" + text_at(pid, name);
}

// Decodes a call before it happens: afterwards its descriptors may be closed.
std::optional<FileCall> read_call(pid_t pid, const Call& info) {
  const auto* args = info.entry.args;
  switch (info.entry.nr) {
    case SYS_fsync:
      return FileCall{FileCall::What::Sync, descriptor_path(pid, args[0]), "", 0};
    case SYS_linkat:
    case SYS_renameat:
    case SYS_renameat2:
      return FileCall{FileCall::What::Name, path_at(pid, args[2], args[3]), path_at(pid, args[0], args[1]), 0};
    case SYS_unlinkat:
      return FileCall{FileCall::What::Unname, path_at(pid, args[0], args[1]), "", 0};
    case SYS_mkdirat:
      return FileCall{FileCall::What::MakeDirectory, path_at(pid, args[0], args[1]), "", 0};
    default:
      return std::nullopt;
  }
}

}  // namespace

Traced killed_at(long stop, const std::function<bool()>& act) {
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::raise(SIGSTOP);
    ::_exit(act() ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  REQUIRE(WIFSTOPPED(status));
  REQUIRE(::ptrace(PTRACE_SETOPTIONS, pid, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) == 0);
  Traced traced;
  std::optional<FileCall> under_way;
  for (;;) {
    if (stop != kNever && traced.stops == stop) ::kill(pid, SIGKILL);
    ::ptrace(PTRACE_SYSCALL, pid, nullptr, nullptr);
    if (::waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status)) break;
    ++traced.stops;
    Call info = {};
    if (stop != kNever) continue;  // the calls of a killed act are not recorded
    if (::ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) <= 0) continue;
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) under_way = read_call(pid, info);
    if (info.op != PTRACE_SYSCALL_INFO_EXIT || !under_way) continue;
    under_way->stop = traced.stops;
    if (info.exit.is_error == 0) traced.calls.push_back(*under_way);
    under_way.reset();
  }
  traced.finished = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return traced;
}

}  // namespace band::test
