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
  std::string verb = "run";          // the verb of the `band` command line that has `words`: "run", "call"
};

// Returns the name of the schema's file as messages show it: "s/schemas/input/go.json", or the file that the band names
// in `contract`. `side`: "input" or "output".
std::string schema_of(const Script& script, const char* side);

// Returns a finding with the message "WHAT: WHY". Line feeds in `why` are replaced by blanks.
Diagnostic misfit(const std::string& file, int line, int column, const std::string& what, const std::string& why,
                  std::string hint);

class GivenInputs {
 public:
  // `errors` must outlive this object.
  explicit GivenInputs(std::vector<Diagnostic>& errors) : errors_(errors) {}

  // Returns the error that a run with this input would have; nothing if the input is valid. `place`: FILE:LINE of the
  // input. A script without an input schema accepts only {}. For any other input of such a script, refusal() returns
  // nothing and adds an error about the missing schema to `errors`; it adds this error only once for each script.
  std::optional<Error> refusal(const Script& script, const GivenInput& given, const std::string& place);

  // Adds an error for a test case with an invalid input, unless the case expects that its run fails with the code of
  // this error.
  void check(const Script& script, const SkillCase& one);

 private:
  std::vector<Diagnostic>& errors_;
  std::set<std::string> without_schema_;  // names of scripts
};

}  // namespace band::client
