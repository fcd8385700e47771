// Regular expressions of schemas, by RE2: matching takes time linear in the text, and no stack.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <string>
#include <string_view>

#include "schemas/core/result.h"

namespace band {

// Takes the part of ECMA 262 that RE2 knows: no look-around, no back-references. \uXXXX is translated.
// Errors (Code::SkillInvalid): what RE2 does not take, or what needs over 1 MiB compiled.
Result<std::shared_ptr<const re2::RE2>> compile_pattern(std::string_view pattern);

// Found anywhere in `text`, as JSON Schema wants it.
bool pattern_found(const re2::RE2& pattern, std::string_view text);

}  // namespace band
