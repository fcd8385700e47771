// Regular expressions of schemas. RE2 matches in time linear in the text, without recursion.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <string>
#include <string_view>

#include "schemas/core/result.h"

namespace band {

// Accepts the subset of ECMA 262 that RE2 supports: no look-around, no back-references. Translates \uXXXX.
// Errors (Code::SkillInvalid): syntax that RE2 does not accept, or more than 1 MiB when compiled.
Result<std::shared_ptr<const re2::RE2>> compile_pattern(std::string_view pattern);

// Returns whether the pattern matches anywhere in `text`, as JSON Schema requires.
bool pattern_found(const re2::RE2& pattern, std::string_view text);

}  // namespace band
