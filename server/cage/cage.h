// What a process of band's own that strangers talk to takes from itself before it listens to them: band-http,
// band-gateway.
//
// Promises, after close(): system calls by list, everything else EPERM; no program is run and no code is mapped; no
// core dump, no ptrace by the same user, no_new_privs; each is read back or tried.
// Does not cover: ids and capabilities (server/privileges), which files an allowed open reaches (server/landlock).
#pragma once

#include <seccomp.h>

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>

#include "schemas/core/result.h"

namespace band::cage {

// The calls. What every such process needs is on it from the start: bytes of open descriptors, memory that is not code,
// signals to itself, time, chance. Errors are kept until close().
class Calls {
 public:
  explicit Calls(std::string layer);  // the layer of errors

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

// For this process, which has one thread and no capability. `before`: what has to be done when the last file of
// close()'s own is open, but needs calls that are not on the list.
Status close(
    const Calls& calls, const std::function<Status()>& before = [] { return done(); });

}  // namespace band::cage
