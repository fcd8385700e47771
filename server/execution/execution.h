// One execution, from a checked request to an answer: design section 3, in order.
#pragma once

#include <memory>
#include <string>

#include "schemas/wire/wire.h"
#include "server/execution/boosts.h"
#include "server/execution/cancellation.h"
#include "server/execution/dying.h"
#include "server/execution/prepared.h"
#include "server/execution/site.h"
#include "server/execution/standard_input.h"
#include "server/http_link/reply_writer.h"
#include "server/policy/plan.h"
#include "server/slot/slot.h"

namespace band::run {

struct Job {
  std::string id;     // 16 hex digits
  std::string token;  // the caller's name
  std::int64_t queued_us = 0;
  const Cancellation* cancellation = nullptr;
  Boost& boost;
  InputDoor* input = nullptr;  // where the standard input arrives; null: nobody sends any
};

struct Outcome {
  Answer answer;
  Dying dying;               // empty but after an error: the slot must not be used before Dying::gone()
  bool had_network = false;  // the slot's network namespace holds remains of connections, or of a dying execution
  // Of an execution whose script was started: by it the sandbox of one with the same rules can be made ahead.
  std::optional<policy::SandboxPlan> plan;
  // What was mounted, until this goes: umount(2) can wait for all processors, and the answer need not. null where paths
  // of the machine were mounted: whoever has the answer may want to unmount their disk.
  std::unique_ptr<Prepared> mounts;
};

// On the slot's thread. The answer is complete; everything that ran is dead and reaped, or killed and in `dying`.
// The firewall's chain is gone when this returns, too (later, if anything is dying), and so is every copy of a secret,
// in a program with a wiping heap (server/wiping_heap.cc); the mounts are gone with Outcome::mounts. `warm`: a sandbox
// that was made ahead for these rules, and is_current(); null: one is made now.
Outcome execute(slot::Slot& slot, const Site& site, const Job& job, ExecRequest request, ReplyWriter& reply,
                std::unique_ptr<Prepared> warm = nullptr);

}  // namespace band::run
