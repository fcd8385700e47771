// Plain scalars of YAML 1.2's core schema (section 10.3.2).
#pragma once

#include <string>

#include "schemas/core/json_fwd.h"

namespace band {

// Sets `problem` and returns the text when the scalar is a number that JSON cannot represent.
Json plain_scalar(const std::string& text, std::string& problem);

}  // namespace band
