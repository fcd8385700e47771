// The only DNS resolver of an execution. It serves UDP and TCP on the sockets that the engine made in the network
// namespace in which the script runs.
//
// For an allowed name, the answer to a query for A or ANY is the name's made-up address (names.h: an address of
// 198.18.0.0/15 that stands for this name only). The answer to a query for other types is NODATA. For every other name,
// and for a new name when the limit gateway.limit.names is reached, the answer is NXDOMAIN. Answers are immediate, and
// no part of a query leaves the machine.
#pragma once

#include <string>

#include "schemas/rules/net_rules.h"
#include "server/gateway/asio.h"
#include "server/gateway/event_reporter.h"
#include "server/gateway/names.h"

namespace band::gateway {

class Resolver {
 public:
  Resolver(asio::io_context& loop, const NetRules& rules, Names& names, EventReporter& reporter)
      : loop_(loop), rules_(rules), names_(names), reporter_(reporter) {}

  // Both serve until the process exits.
  awaitable<void> serve_udp(base::Fd socket);
  awaitable<void> serve_tcp(base::Fd listener);

 private:
  // Returns the answer; "" when the message gets no answer.
  std::string answer_to(std::string_view message);
  awaitable<void> serve_connection(Socket client);

  asio::io_context& loop_;
  const NetRules& rules_;
  Names& names_;
  EventReporter& reporter_;
  int connections_ = 0;
};

}  // namespace band::gateway
