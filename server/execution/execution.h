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
  std::string id;     // id of the execution: 16 hex digits
  std::string token;  // identifies the caller (engine.h)
  std::int64_t queued_us = 0;
  const Cancellation* cancellation = nullptr;
  Boost& boost;
  InputDoor* input = nullptr;  // receives the connection with standard input; null: the client sends no standard input
};

struct Outcome {
  Answer answer;
  Dying dying;               // if it is not empty, the slot must not be used before Dying::gone() returns true
  bool had_network = false;  // the slot's network namespace may contain connections in TIME-WAIT or dying processes
  // Set when the script was started. A sandbox for the next execution with the same rules can be made from this plan.
  std::optional<policy::SandboxPlan> plan;
  // Owns the mounts of the sandbox: its destructor unmounts them. umount(2) can wait for all processors; therefore the
  // caller destroys this object after it has sent the answer. Null when paths of the machine were mounted: all mounts
  // are then unmounted before the answer is sent, because the receiver of the answer may want to unmount the disk that
  // contains these paths immediately.
  std::unique_ptr<Prepared> mounts;
};

// Call it on the slot's thread. On return the answer is complete, and every process of the execution has been killed;
// processes that are not reaped yet are in `dying`. If `dying` is empty, the firewall's chain is removed; otherwise
// Dying::gone() removes the chain later. Every copy of a secret is wiped if the program is linked with
// server/wiping_heap.cc, as band-server is. The mounts exist until Outcome::mounts is destroyed. `warm`: a sandbox that
// was made ahead for these rules and for which is_current() returned true; null: execute() makes a sandbox.
Outcome execute(slot::Slot& slot, const Site& site, const Job& job, ExecRequest request, ReplyWriter& reply,
                std::unique_ptr<Prepared> warm = nullptr);

}  // namespace band::run
