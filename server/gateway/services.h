// The objects that the connections of one execution share.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "schemas/rules/net_rules.h"
#include "server/gateway/asio.h"
#include "server/gateway/event_reporter.h"
#include "server/gateway/lookup.h"
#include "server/gateway/names.h"
#include "server/gateway/pace.h"
#include "server/gateway/pipes.h"
#include "server/gateway/unacknowledged.h"
#include "server/gateway_link/policy.h"

namespace band::gateway {

struct Services {
  asio::io_context& loop;
  const Policy& policy;
  const NetRules& rules;
  Names& names;
  Lookup& lookup;
  EventReporter& reporter;
  Pace pace;
  Room room;
  Pipes pipes = {};
  std::string received = {};  // buffer for receive() (pump.h)
  std::int64_t bytes = 0;     // relayed, both directions together
  // Resets all connections. Called when `bytes` exceeds the limit: otherwise the other connections could still forward
  // data that is already in their buffers.
  std::function<void()> cut_all = {};
};

}  // namespace band::gateway
