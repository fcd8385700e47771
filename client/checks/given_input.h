// Checks inputs that are written in SKILL.md and in tests/ of a skill against the input schemas of the scripts. Pure.
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
  std::vector<std::string> words;    // parameters as on the command line: "--name", "World"
  std::string verb = "run";          // the command of band to which `words` belong: "run", "call"
};

// Returns the name of the schema's file as messages show it: "s/schemas/input/go.json", or the file that the band
// names. `side`: "input" or "output".
std::string schema_of(const Script& script, const char* side);

// Returns a finding with the message "WHAT: WHY". Line feeds in `why` are replaced by blanks.
Diagnostic misfit(const std::string& file, int line, int column, const std::string& what, const std::string& why,
                  std::string hint);

class GivenInputs {
 public:
  explicit GivenInputs(std::vector<Diagnostic>& errors) : errors_(errors) {}

  // Returns the error that a run with this input would have; nothing if the input is valid. `place`: FILE:LINE of the
  // input. If the script has no input schema, returns nothing and adds an error that names the script; further calls
  // for this script do not add the error again.
  std::optional<Error> refusal(const Script& script, const GivenInput& given, const std::string& place);

  // Adds an error for a test case with an invalid input, unless the case expects that its run fails with this error.
  void check(const Script& script, const SkillCase& one);

 private:
  std::vector<Diagnostic>& errors_;
  std::set<std::string> without_schema_;  // names of scripts
};

}  // namespace band::client
