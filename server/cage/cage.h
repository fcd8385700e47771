// The privileges that band-http and band-gateway drop before they read untrusted input.
//
// Promises, after close(): only listed system calls, any other fails with EPERM; no program is run and no code is
// mapped; no core dump, no ptrace by the same user, no_new_privs. Each is read back or tested.
// Does not cover: ids and capabilities (server/privileges), the files that an allowed open reaches (server/landlock).
#pragma once

#include <seccomp.h>

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>

#include "schemas/core/result.h"

namespace band::cage {

// The allowed system calls. Initially those that each of these processes needs: reading and writing open descriptors,
// memory that is not code, signals to itself, time, random numbers. Errors are kept until close().
class Calls {
 public:
  explicit Calls(std::string layer);  // `layer`: names the layer in errors

  void allow(std::initializer_list<int> calls);
  void allow(int call, scmp_arg_cmp when);
  void answer(int call, int err);

 private:
  friend Status close(const Calls& calls, const std::function<Status()>& before);
  void note(int rc) {
    if (rc_ == 0) rc_ = rc;
  }

  std::string layer_;
  std::unique_ptr<void, void (*)(void*)> filter_;
  int rc_ = 0;
};

// Call it in a process with one thread and no capability. `before` runs after close() has opened its last file and
// before the filter is loaded: for steps that need calls which are not on the list.
Status close(
    const Calls& calls, const std::function<Status()>& before = [] { return done(); });

}  // namespace band::cage
