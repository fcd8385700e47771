// The only resolver of an execution: UDP and TCP on the sockets that the engine made in the slot's network namespace.
//
// An allowed name gets its made-up address, other types of it are empty, every other name does not exist, at once.
// Nothing of a question leaves the machine.
#pragma once

#include <string>

#include "schemas/rules/net_rules.h"
#include "server/gateway/asio.h"
#include "server/gateway/names.h"
#include "server/gateway/teller.h"

namespace band::gateway {

class Resolver {
 public:
  Resolver(asio::io_context& loop, const NetRules& rules, Names& names, Teller& teller)
      : loop_(loop), rules_(rules), names_(names), teller_(teller) {}

  // For ever, both.
  awaitable<void> serve_udp(base::Fd socket);
  awaitable<void> serve_tcp(base::Fd listener);

 private:
  // Empty: none is due.
  std::string answer_to(std::string_view message);
  awaitable<void> serve_connection(Socket client);

  asio::io_context& loop_;
  const NetRules& rules_;
  Names& names_;
  Teller& teller_;
  int connections_ = 0;
};

}  // namespace band::gateway
