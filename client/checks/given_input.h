// Inputs that a skill's own text and tests give to its scripts, against the scripts' input schemas. Pure.
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

// "s/schemas/input/go.json", or the file that the band names. `side`: "input" or "output".
std::string schema_of(const Script& script, const char* side);

// `why` in one line, behind `what`.
Diagnostic misfit(const std::string& file, int line, int column, const std::string& what, const std::string& why,
                  std::string hint);

class GivenInputs {
 public:
  explicit GivenInputs(std::vector<Diagnostic>& errors) : errors_(errors) {}

  // Why the script refuses it. A schema that is missing is an error of its own, once for a script, and none of `place`
  // (FILE:LINE), where the input is given.
  std::optional<Error> refusal(const Script& script, const GivenInput& given, const std::string& place);

  // Of a test, whose case fails in `band test` for that reason alone. A case that expects the refusal is right.
  void check(const Script& script, const SkillCase& one);

 private:
  std::vector<Diagnostic>& errors_;
  std::set<std::string> without_schema_;  // names of scripts
};

}  // namespace band::client
