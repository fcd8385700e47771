// The configuration and the objects that all executions of a server share.
#pragma once

#include <memory>
#include <string>

#include "server/execution/floors.h"
#include "server/execution/gateway.h"
#include "server/policy/site_config.h"

namespace band::run {

// Lives until the server exits.
struct Site {
  policy::SiteConfig config;
  std::shared_ptr<Floors> floors;  // the read-only roots of the sandboxes
  GatewayDoor gateway;
  int zygote = -1;     // control channel of the zygote (zygote.h)
  std::string source;  // digest of the source files that this server was built from
};

}  // namespace band::run
