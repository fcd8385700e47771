// Checks the inputs in a skill's text and tests against the scripts' input schemas. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "client/checks/findings.h"
#include "client/skill_tests/skill_case.h"
#include "client/skills/skills.h"
#include "schemas/core/result.h"

namespace band::client {

struct GivenInput {
  std::optional<std::string> input;  // JSON
  std::vector<std::string> words;    // parameters as on the command line
  std::string verb = "run";
};

// Returns "s/schemas/input/go.json", or the file that the band names. `side`: "input" or "output".
std::string schema_of(const Script& script, const char* side);

// Returns a finding with the message "WHAT: WHY", where line feeds of `why` become blanks.
Diagnostic misfit(const std::string& file, int line, int column, const std::string& what, const std::string& why,
                  std::string hint);

class GivenInputs {
 public:
  explicit GivenInputs(std::vector<Diagnostic>& errors) : errors_(errors) {}

  // Returns the error with which the script would refuse the input. A missing schema is reported as an error of its
  // own, once for each script, and not as one of `place` (FILE:LINE of the input).
  std::optional<Error> refusal(const Script& script, const GivenInput& given, const std::string& place);

  // Reports a test case whose input the script would refuse. A case that expects this refusal is correct.
  void check(const Script& script, const SkillCase& one);

 private:
  std::vector<Diagnostic>& errors_;
  std::set<std::string> without_schema_;  // names of scripts
};

}  // namespace band::client
