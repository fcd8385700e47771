// The recipe of a request: the properties on which the sandbox for the request depends. A sandbox that was made ahead
// with a recipe can serve every request with an equal recipe.
#pragma once

#include <optional>
#include <string>

#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"

namespace band::run {

// The token is part of the recipe: if a second token could use a sandbox that was made ahead for a first token, the
// short duration of an execution would show the caller with the second token that another caller had used the same
// rules before.
struct Recipe {
  std::string token;         // from caller() in engine.h
  Rules rules;               // as received in the request, before the ceiling is applied
  bool takes_input = false;  // the request has standard input

  bool operator==(const Recipe&) const = default;
};

// Returns nullopt for a request for which no sandbox can be made ahead. This is a request
// - with a terminal, because the terminal is made with the size that the caller sent;
// - with a rule on a path of the machine, because the timestamps of a directory do not show changes deep inside the
//   directory, and because the mount of a waiting sandbox would keep the path's file system busy.
std::optional<Recipe> recipe_of(const std::string& token, const ExecRequest& request);

}  // namespace band::run
