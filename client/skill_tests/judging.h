// What a run came to against what its case expects. Pure.
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
  JsonValue output;            // of a success
  std::optional<int> exit_status;
  std::string stdout_log, stderr_log;
  std::vector<std::string> refusals;                        // texts of the ledger
  std::map<std::string, std::optional<std::string>> files;  // of each path in Expectation::files; nothing: no file
  std::vector<std::string> written;                         // into the workspace
};

struct Mismatch {
  std::string what;    // one line: "output differs at greeting"
  std::string detail;  // lines with a line feed each, or ""; texts of the script are as they came
};

// Empty: the case passed. When the run ended otherwise than expected, that alone is said, with what explains it.
std::vector<Mismatch> mismatches(const Expectation& expect, const RunEnd& end);

}  // namespace band::client
