// What all executions of a server share.
#pragma once

#include <memory>
#include <string>

#include "server/execution/floors.h"
#include "server/execution/gateway.h"
#include "server/policy/site_config.h"
#include "server/syscalls/syscalls.h"

namespace band::run {

// Lives as long as the server.
struct Site {
  policy::SiteConfig config;
  syscalls::Filter filter;
  std::shared_ptr<Floors> floors;
  GatewayDoor gateway;
  std::string source;  // the digest of what this server was built of
};

}  // namespace band::run
