// The recipe of a request: the properties on which the sandbox for the request depends. A sandbox can be made ahead,
// before its request arrives; it can then serve one request, which must have the recipe for which it was made.
#pragma once

#include <optional>
#include <string>

#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"

namespace band::run {

// The token is part of the recipe. Otherwise a sandbox that was made ahead for one token could serve a request of
// another token. An execution in such a sandbox is shorter, and its duration would show the second caller that another
// caller had used the same rules before.
struct Recipe {
  std::string token;         // name and id of the token, not its secret (caller() in server/engine/engine.h)
  Rules rules;               // as received in the request, before the ceiling is applied
  bool takes_input = false;  // the request has standard input

  bool operator==(const Recipe&) const = default;
};

// `token`: as Recipe::token. Returns nullopt for a request for which no sandbox can be made ahead. This is a request
// - with a terminal, because the terminal is made with the size that the caller sent;
// - with a rule of `read`, `write` or `cli` whose pattern begins with `/`, that is, a rule on paths of the machine. The
//   sandbox can have mounts of these paths. A sandbox that was made ahead must be equal to one that is made now, but
//   this cannot be checked quickly for the paths: the timestamps of a directory do not show changes deep inside the
//   directory. Also, the file system of a path could not be unmounted while a sandbox waits.
std::optional<Recipe> recipe_of(const std::string& token, const ExecRequest& request);

}  // namespace band::run
