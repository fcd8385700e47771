// `{path}`: in `allow` and `insist` of `read` and `write`, the file of the workspace that a property of the input
// names. The client replaces it before anything is sent; no server takes one. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/json_fwd.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band {

// The property that a pattern names: "path" of "{path}"; nullopt for any other pattern.
std::optional<std::string> placeholder_of(std::string_view pattern);

// Every rule of `rules` that is a placeholder.
std::vector<Rule> placeholders(const Rules& rules);

// `rules` with a pattern without wildcards, `./...`, in the place of each placeholder: one for a text, one for each
// text of a list, none where the input does not have the property or has null. Errors: Code::InputInvalid for a value
// that names no file below the workspace: another type, an empty or an absolute path, one with `..`, more than 4096
// bytes.
Result<Rules> with_input(const Rules& rules, const Json& input);

// The same where `path` is known, and no other property: what the rules open if `property` of the input is that text.
Result<Rules> with_path(const Rules& rules, const std::string& property, const std::string& path);

}  // namespace band
