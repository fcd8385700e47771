// What a server says of itself in GET /v1/health, checked.
#pragma once

#include <string>
#include <vector>

#include "client/transport/daemon.h"
#include "schemas/core/json_fwd.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band::client {

struct ServerFacts {
  std::string version, source;  // source: the digest of what it was built of; "": it does not say
  std::size_t layers = 0;
  std::vector<std::string> inactive;  // names of layers
  std::size_t free_slots = 0;         // when it was asked
};
Result<ServerFacts> server_facts(Daemon& daemon);  // one that has proved itself
// The operator's ceiling. Error (Code::BadRequest): the server does not say it.
Result<Rules> server_ceiling(Daemon& daemon);

}  // namespace band::client
