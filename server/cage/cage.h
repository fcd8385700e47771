// The privileges that band-http and band-gateway drop before they read untrusted input.
//
// Promises, after close(): a system call that `Calls` does not list fails with EPERM; the process cannot run a program
// or map executable memory; the process leaves no core dump; other processes of the same user cannot ptrace the
// process; no_new_privs is set. close() reads back from the kernel that the process is not dumpable, that no_new_privs
// is set, that a seccomp filter is loaded and that the process has no capability. It also tries execve(2), which must
// fail.
// Does not cover: ids and capabilities (server/privileges), the files that an allowed open(2) reaches
// (server/landlock).
#pragma once

#include <seccomp.h>

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>

#include "schemas/core/result.h"

namespace band::cage {

// The result of compile().
struct Cage {
  std::string layer;   // names the layer in errors
  std::string filter;  // the compiled seccomp filter (server/syscalls/bpf.h)
};

// The list of the allowed system calls. The constructor allows the calls that both programs need: for reading and
// writing open descriptors, memory that is not executable, locks, signals to the process itself, time, and random
// numbers. When a call of allow() or answer() fails, compile() returns the error of that call.
class Calls {
 public:
  explicit Calls(std::string layer);  // `layer`: names the layer in errors

  void allow(std::initializer_list<int> calls);
  void allow(int call, scmp_arg_cmp when);  // only with arguments for which `when` is true
  void answer(int call, int err);           // `call` fails with `err` instead of EPERM

 private:
  friend Result<Cage> compile(const Calls& calls);
  void note(int rc) {
    if (rc_ == 0) rc_ = rc;
  }

  std::string layer_;
  std::unique_ptr<void, void (*)(void*)> filter_;
  int rc_ = 0;
};

// Makes the seccomp filter. This takes 0.2 ms; therefore a process whose child processes call close() calls compile()
// once, before it forks.
Result<Cage> compile(const Calls& calls);

// Drops the privileges that the top of this file lists. Call it in a process with one thread and no capability. close()
// calls `before` after it has opened its last file and before it loads the filter. Use `before` for steps that need
// system calls that the cage does not list. When `before` returns an error, close() returns this error and does not
// load the filter. After any error the process must exit, because only some of the privileges are dropped.
Status close(
    const Cage& cage, const std::function<Status()>& before = [] { return done(); });

}  // namespace band::cage
