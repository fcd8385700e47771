// Placeholders like `{path}` in `allow` and `insist` of `read` and `write`: the file of the workspace that a property
// of the input names. The client replaces them before it sends a request; servers refuse them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/json_fwd.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band {

// Returns the property of a placeholder, "path" for "{path}"; nullopt for any other pattern.
std::optional<std::string> placeholder_of(std::string_view pattern);

// Returns all rules that are placeholders.
std::vector<Rule> placeholders(const Rules& rules);

// Returns `rules` with each placeholder replaced by patterns `./...` without wildcards: one for a string, one for each
// string of an array, none if the property is absent or null. Code::InputInvalid: the value does not name a file below
// the workspace (another type, an empty or absolute path, a path with `..` or of more than 4096 bytes).
Result<Rules> with_input(const Rules& rules, const Json& input);

// As with_input() for an input that has only `property`, with the value `path`.
Result<Rules> with_path(const Rules& rules, const std::string& property, const std::string& path);

}  // namespace band
