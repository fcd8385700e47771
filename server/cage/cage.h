// The privileges that band-http and band-gateway drop before they read untrusted input.
//
// Promises, after close(): a system call that `Calls` does not list fails with EPERM; the process cannot run a program
// or map executable memory; it leaves no core dump; other processes of the same user cannot ptrace it; no_new_privs is
// set. Each of these is read back or tested.
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
  std::string filter;  // server/syscalls/bpf.h
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

// A process that forks the processes to which the cage applies compiles once, before it forks: compiling takes 0.2 ms.
Result<Cage> compile(const Calls& calls);

// Drops the privileges that the top of this file lists. Call it in a process with one thread and no capability. close()
// calls `before` after it has opened its last file and before it loads the filter: use `before` for steps that need
// system calls that the cage does not list.
Status close(
    const Cage& cage, const std::function<Status()>& before = [] { return done(); });

}  // namespace band::cage
