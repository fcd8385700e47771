// Describes the requests that a sandbox made ahead can serve.
#pragma once

#include <optional>
#include <string>

#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"

namespace band::run {

// Requests with equal recipes need equal sandboxes. A sandbox belongs to one token: from the duration of an execution,
// another token could infer that the same rules were used before.
struct Recipe {
  std::string token;  // engine.h, caller()
  Rules rules;        // as received
  bool takes_input = false;

  bool operator==(const Recipe&) const = default;
};

// Returns nullopt when the request must start cold: with a terminal, which is made with the size that the caller sent;
// and with a path of the machine, because the timestamps of a directory do not show changes deep inside it, and a mount
// that is kept would keep a file system busy.
std::optional<Recipe> recipe_of(const std::string& token, const ExecRequest& request);

}  // namespace band::run
