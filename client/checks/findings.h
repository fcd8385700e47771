// What a check of a skill has found.
#pragma once

#include <vector>

#include "schemas/core/diagnostic.h"

namespace band::client {

struct Findings {
  // Mistakes that make a run fail, or that make an agent reject the skill; and contradictions, for example a schema
  // that no value fits.
  std::vector<Diagnostic> errors;
  std::vector<Diagnostic> notes;  // probable mistakes
};

}  // namespace band::client
