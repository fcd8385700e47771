// Describes the requests that a sandbox made ahead can serve.
#pragma once

#include <optional>
#include <string>

#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"

namespace band::run {

// Requests with equal recipes need equal sandboxes. The token is part of the recipe: if another token could use the
// sandbox, the short duration of its execution would show that another caller had used the same rules before.
struct Recipe {
  std::string token;  // from caller() in engine.h
  Rules rules;        // as received
  bool takes_input = false;

  bool operator==(const Recipe&) const = default;
};

// Returns nullopt when no sandbox can be made ahead for such a request:
// - with a terminal, because it is made with the size that the caller sent;
// - with a rule on a path of the machine, because the timestamps of a directory do not show changes deep inside it, and
//   because a mount that waits would keep its file system busy.
std::optional<Recipe> recipe_of(const std::string& token, const ExecRequest& request);

}  // namespace band::run
