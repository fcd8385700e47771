// What a check of a skill has found.
#pragma once

#include <vector>

#include "schemas/core/diagnostic.h"

namespace band::client {

struct Findings {
  std::vector<Diagnostic> errors;  // mistakes that make a run fail or an agent reject the skill; contradictions
  std::vector<Diagnostic> notes;   // probable mistakes
};

}  // namespace band::client
