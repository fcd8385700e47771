// For whom a sandbox can be made ahead: the requests that it would serve.
#pragma once

#include <optional>
#include <string>

#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"

namespace band::run {

// Requests with equal recipes are served by equal sandboxes. A sandbox belongs to one token: another one could find out
// by the time of an execution that somebody has used the same rules.
struct Recipe {
  std::string token;  // engine.h, caller()
  Rules rules;        // as they were sent
  bool takes_input = false;

  bool operator==(const Recipe&) const = default;
};

// nullopt: it starts cold. With a terminal, whose owner the caller chooses; and with a path of the machine: the times
// of a directory do not show what is made deep inside it, and a kept mount would keep a file system busy.
std::optional<Recipe> recipe_of(const std::string& token, const ExecRequest& request);

}  // namespace band::run
