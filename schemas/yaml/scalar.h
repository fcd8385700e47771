// Converts unquoted (plain) scalars as in YAML 1.2's core schema (section 10.3.2).
#pragma once

#include <string>

#include "schemas/core/json_fwd.h"

namespace band {

// Returns null, a boolean, a number or a string. Sets `problem` and returns the text if the scalar is a number that
// cannot be stored: `.inf`, `.nan`, or a number too large for 64 bits or for a double.
Json plain_scalar(const std::string& text, std::string& problem);

}  // namespace band
