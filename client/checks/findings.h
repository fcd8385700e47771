// What a check of a skill has found.
#pragma once

#include <vector>

#include "schemas/core/diagnostic.h"

namespace band::client {

struct Findings {
  std::vector<Diagnostic> errors;  // a run fails, an agent rejects the skill, or the skill contradicts itself
  std::vector<Diagnostic> notes;   // probable mistakes
};

}  // namespace band::client
