// One execution, from a checked request to an answer: design section 3, in order.
#pragma once

#include <memory>
#include <string>

#include "schemas/wire/wire.h"
#include "server/execution/boosts.h"
#include "server/execution/cancellation.h"
#include "server/execution/dying.h"
#include "server/execution/floors.h"
#include "server/execution/gateway.h"
#include "server/execution/standard_input.h"
#include "server/http_link/reply_writer.h"
#include "server/policy/plan.h"
#include "server/slot/slot.h"
#include "server/syscalls/syscalls.h"

namespace band::run {

// What all executions share. Lives as long as the server.
struct Site {
  policy::SiteConfig config;
  syscalls::Filter filter;
  std::shared_ptr<Floors> floors;
  GatewayDoor gateway;
  std::string source;  // the digest of what this server was built of
};

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
};

// On the slot's thread. The answer is complete; everything that ran is dead and reaped, or killed and in `dying`.
// Mounts and the firewall's chain are gone when this returns, too (the chain later, if anything is dying), and so is
// every copy of a secret, in a program with a wiping heap (server/wiping_heap.cc).
Outcome execute(slot::Slot& slot, const Site& site, const Job& job, ExecRequest request, ReplyWriter& reply);

}  // namespace band::run
