// The server's answer to GET /v1/health, checked.
#pragma once

#include <string>
#include <vector>

#include "client/transport/daemon.h"
#include "schemas/core/json_fwd.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band::client {

struct ServerFacts {
  std::string version, source;  // source: the digest of the files it was built from; "": not in the answer
  std::size_t layers = 0;
  std::vector<std::string> inactive;  // names of layers
  std::size_t free_slots = 0;         // at the time of the request
};
Result<ServerFacts> server_facts(Daemon& daemon);  // `daemon` has proved that it has the token
// The operator's ceiling. Error (Code::BadRequest): the answer does not contain it.
Result<Rules> server_ceiling(Daemon& daemon);

}  // namespace band::client
