// What is found in a skill.
#pragma once

#include <vector>

#include "schemas/core/diagnostic.h"

namespace band::client {

struct Findings {
  std::vector<Diagnostic> errors;  // what stops a run, what an agent refuses, and what contradicts itself
  std::vector<Diagnostic> notes;   // what is most likely not meant
};

}  // namespace band::client
