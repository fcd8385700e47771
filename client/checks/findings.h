// The findings of a check of a skill.
#pragma once

#include <vector>

#include "schemas/core/diagnostic.h"

namespace band::client {

struct Findings {
  std::vector<Diagnostic> errors;  // a run fails, an agent rejects it, or it contradicts itself
  std::vector<Diagnostic> notes;   // probable mistakes
};

}  // namespace band::client
