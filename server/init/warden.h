// The warden of one command: a process between the holder and the command, which is the reaper of everything that the
// command starts (PR_SET_CHILD_SUBREAPER, prctl(2)). So the tree can be killed without knowing it: what loses its
// parent becomes a child of the warden.
#pragma once

#include <vector>

#include "server/base/fd.h"
#include "server/init/plan.h"

namespace band::init {

struct Errand {
  std::uint64_t id = 0;
  const base::Fd* domain = nullptr;  // Landlock rule set of the program
  base::Fd shim;                     // connection to the shim: signals come in, the answer goes out
  base::Fd command;                  // memfd with the encoded Command
  std::vector<base::Fd> descriptors;
};

// In a process of its own. Reports CommandEnded to the engine, then answers the shim.
[[noreturn]] void ward(const Plan& plan, Errand errand);

}  // namespace band::init
