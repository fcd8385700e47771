// Placeholders: in `allow` and `insist`, the rule `{path}` of `read` or `write` stands for the file of the workspace
// that the property `path` of the script's input names. The client replaces placeholders before it sends a request;
// servers refuse rules with placeholders. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/json_fwd.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band {

// Returns the name of the property of a placeholder: "path" for "{path}". Returns nullopt for any other pattern.
std::optional<std::string> placeholder_of(std::string_view pattern);

// Returns all rules that are placeholders.
std::vector<Rule> placeholders(const Rules& rules);

// Returns `rules` with each placeholder replaced by patterns `./...` without wildcards, which have Rule::from_input.
// The property can be a string (one pattern) or an array of strings (one pattern for each); if it is absent or null,
// the placeholder is removed. Error (Code::InputInvalid): the property has another type, or a string does not name a
// file below the workspace: the string is empty, is an absolute path, has a segment `..`, or has more than 4096 bytes.
// In `write` also a string with a name that begins with a dot, unless the rule has `dot`, and a string with a name that
// programs execute or obey (OpenedBy::Spelling in schemas/core/obeyed_names.h).
Result<Rules> with_input(const Rules& rules, const Json& input);

// As with_input(), for an input with the single property `property`, whose value is `path`.
Result<Rules> with_path(const Rules& rules, const std::string& property, const std::string& path);

}  // namespace band
