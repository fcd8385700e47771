// Finds lines proposed by `band learn` that would have no effect in the script's BAND.md, because the operator's
// ceiling, or another band that the script's band extends, does not allow what the lines allow. Uses the code of `band
// why` (client/answers) to find out what is allowed.
//
// Does not check lines with a file pattern that matches no file of the workspace. When the ceiling is not known, does
// not find lines that only the ceiling closes.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "client/commands/learn_band.h"
#include "client/host/tree.h"
#include "client/learn/learner.h"
#include "schemas/core/json_value.h"

namespace band::client {

// Returns the function for Subject::closed_by. All arguments must outlive this function. `place`: the file to which
// lines would be added; if it is null, returns an empty function. `workspace`: null if there is no workspace. `ceiling`
// returns the operator's ceiling, or nullopt if the ceiling is not known; `ceiling` is called at most once, when the
// first line is checked.
using AskCeiling = std::function<std::optional<Rules>()>;
learn::ClosedBy closed_by(const Script& script, const BandPlace* place, const Tree* workspace,
                          const std::vector<JsonValue>& inputs, AskCeiling ceiling);

}  // namespace band::client
