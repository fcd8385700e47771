// Finds lines proposed by `band learn` that would have no effect in the script's BAND.md, because other rules do not
// allow what the lines allow: the operator's ceiling (the rules in server.yaml that bound every request), or another
// band that the script's band extends. Uses the code of `band why` (client/answers) to find out what is allowed.
//
// Does not check patterns for absolute paths. Does not check patterns with wildcards that match no file or more than
// 200 files of the workspace. When the ceiling is not known, does not find lines that only the ceiling makes
// ineffective.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "client/commands/learn_band.h"
#include "client/host/tree.h"
#include "client/learn/learner.h"
#include "schemas/core/json_value.h"

namespace band::client {

// Returns the function for learn::Subject::closed_by (client/learn/learner.h). `script`, `place`, `workspace` and
// `inputs` must outlive the returned function. `place`: the file to which lines would be added; if it is null, returns
// an empty function. `workspace`: null if there is no workspace. `ceiling` returns the operator's ceiling, or nullopt
// if the ceiling is not known; `ceiling` is called at most once, when the first line is checked.
using AskCeiling = std::function<std::optional<Rules>()>;
learn::ClosedBy closed_by(const Script& script, const BandPlace* place, const Tree* workspace,
                          const std::vector<JsonValue>& inputs, AskCeiling ceiling);

}  // namespace band::client
