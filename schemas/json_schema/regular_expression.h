// Regular expressions of schemas. Uses RE2, which matches in linear time and without recursion.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <string>
#include <string_view>

#include "schemas/core/result.h"

namespace band {

// Compiles a regular expression of ECMA 262, of the subset that RE2 supports: without look-around and back-references.
// Translates \uXXXX to the syntax of RE2. Errors (Code::SkillInvalid): syntax that RE2 does not support, or a compiled
// expression of more than 1 MiB.
Result<std::shared_ptr<const re2::RE2>> compile_pattern(std::string_view pattern);

// Returns whether the pattern matches anywhere in `text`, as JSON Schema requires.
bool pattern_found(const re2::RE2& pattern, std::string_view text);

}  // namespace band
