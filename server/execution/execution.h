// One execution, from a request that was read to an answer in which secrets are masked: steps 7 to 13 of
// docs/architecture.md 2 in order, and the masking of step 14. The caller sends the answer.
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
  std::string id;                              // id of the execution: 16 hex digits
  std::string token;                           // identifies the caller (engine.h)
  std::int64_t queued_us = 0;                  // when the request entered the queue, a time of base::monotonic_us()
  const Cancellation* cancellation = nullptr;  // must not be null
  Boost& boost;
  SlotMounts& mounts;          // the mounts that belong to the slot
  InputDoor* input = nullptr;  // receives the connection with standard input; null: the client sends no standard input
};

struct Outcome {
  Answer answer;
  Dying dying;  // if it is not empty, the slot must not be used before Dying::gone() returns true
  // True when the slot's network namespace may still contain traces of connections (Network::left_traces()), sockets of
  // dying processes, or the execution's chain.
  bool had_network = false;
  // The plan of this execution; set only if the script was started. A sandbox for the next execution with the same
  // rules can be made from this plan.
  std::optional<policy::SandboxPlan> plan;
  // The mounts of the sandbox and, unless the network is in `dying`, the chain of the firewall. Unmounting is slow,
  // because the kernel can wait for all processors. Therefore the caller sends the answer first, and then calls
  // remove() (prepared.h). If paths of the machine were mounted, `rest` is null: execute() has then removed everything,
  // so that the receiver of the answer can immediately unmount the disk that contains these paths.
  std::unique_ptr<Prepared> rest;
};

// Call execute() on the slot's thread. `warm`: a sandbox that was made ahead for an equal recipe (recipe.h) and for
// which is_current() returned true. If `warm` is null, execute() makes a sandbox. Errors are part of the answer.
// `reply` receives the events of the execution, and not the answer.
//
// On return the answer is complete, and every process of the execution has been killed; processes that are not reaped
// yet are in `dying`. If `dying` is empty, the gateway process has sent its last event or has exited; otherwise
// Dying::gone() ends the network and removes the chain later. Copies of secrets on the heap have been wiped if the
// program is linked with server/wiping_heap.cc, as band-server is. The caller must wipe the stack
// (server/base/wiped.h).
Outcome execute(slot::Slot& slot, const Site& site, const Job& job, ExecRequest request, ReplyWriter& reply,
                std::unique_ptr<Prepared> warm = nullptr);

}  // namespace band::run
