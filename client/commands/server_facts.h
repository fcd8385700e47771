// The server's answer to GET /v1/health, parsed and checked against its expected form.
#pragma once

#include <string>
#include <vector>

#include "client/transport/daemon.h"
#include "schemas/core/json_fwd.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"
#include "schemas/wire/features.h"

namespace band::client {

struct ServerFacts {
  std::string version;
  ServerBuild build;
  std::size_t layers = 0;             // number of layers of the sandbox (docs/architecture.md 3)
  std::vector<std::string> inactive;  // names of layers that do not work
  std::size_t free_slots = 0;         // at the time of the request
};
// Call these two functions after daemon.prove() has succeeded. server_facts() returns Code::SandboxUnavailable when the
// answer has no list of layers. server_ceiling() requests the operator's ceiling (the rules in server.yaml that bound
// every request); it returns Code::BadRequest when the answer does not contain a ceiling.
Result<ServerFacts> server_facts(Daemon& daemon);
Result<Rules> server_ceiling(Daemon& daemon);

}  // namespace band::client
