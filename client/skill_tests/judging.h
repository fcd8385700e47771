// Compares the result of a run with the expectations of its case. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/skill_tests/skill_case.h"
#include "schemas/core/json_value.h"
#include "schemas/core/result.h"

namespace band::client {

struct RunEnd {
  std::optional<Error> error;  // absent: success
  JsonValue output;            // output of a successful run
  std::optional<int> exit_status;
  std::string stdout_log, stderr_log;
  // Texts about actions that the sandbox refused, from the ledger (the server's record of the run).
  std::vector<std::string> refusals;
  // Path in Expectation::files -> content of the file after the run; nullopt: no such file.
  std::map<std::string, std::optional<std::string>> files;
  std::vector<std::string> written;  // files that were written back to the workspace
};

struct Mismatch {
  std::string what;    // one line: "output differs at greeting"
  std::string detail;  // lines, each with a line feed, or ""; texts from the script are not escaped
};

// Returns an empty list when the case passed. When the code with which the run ended is not the expected one (success
// counts as a code), nothing else is compared, and the list has only this mismatch.
std::vector<Mismatch> mismatches(const Expectation& expect, const RunEnd& end);

}  // namespace band::client
