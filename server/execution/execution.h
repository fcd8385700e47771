// One execution, from a checked request to an answer: steps 7 to 14 of docs/architecture.md 2, in order.
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
  InputDoor* input = nullptr;  // receives the connection with standard input; null: the client sends none
};

struct Outcome {
  Answer answer;
  Dying dying;               // not empty only after an error: the slot must not be used before Dying::gone()
  bool had_network = false;  // the slot's network namespace holds remains of connections, or of a dying execution
  // Set when the script was started. With it, a sandbox for an execution with the same rules can be made ahead.
  std::optional<policy::SandboxPlan> plan;
  // Owns the mounts: its destructor unmounts. umount(2) can wait for all processors, so it is called after the answer
  // is sent. null when paths of the machine were mounted: they are unmounted before the answer, because its receiver
  // may unmount the disk next.
  std::unique_ptr<Prepared> mounts;
};

// Call it on the slot's thread. On return the answer is complete, and every process of the execution is reaped, or
// killed and in `dying`. The firewall's chain is removed (later, if `dying` is not empty). Every copy of a secret is
// wiped, in a program with a wiping heap (server/wiping_heap.cc). The mounts end with Outcome::mounts. `warm`: a
// sandbox that was made ahead for these rules and for which is_current() returned true; null: one is made now.
Outcome execute(slot::Slot& slot, const Site& site, const Job& job, ExecRequest request, ReplyWriter& reply,
                std::unique_ptr<Prepared> warm = nullptr);

}  // namespace band::run
