// Plain scalars of YAML 1.2's core schema (chapter 10.3.2).
#pragma once

#include <string>

#include "schemas/core/json_fwd.h"

namespace band {

// `problem` is set when the scalar is a number that JSON cannot hold; the value is its text then.
Json plain_scalar(const std::string& text, std::string& problem);

}  // namespace band
