// Finds lines proposed by `band learn` that would have no effect if they were only added to this BAND.md, because the
// operator's ceiling, or another band that this band extends, does not allow what these lines allow. The code of `band
// why` (client/answers) decides which lines these are.
//
// Does not find lines with a file pattern that matches no file of the workspace. When the ceiling is not known, also
// does not find lines that only the ceiling closes.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "client/commands/learn_band.h"
#include "client/host/tree.h"
#include "client/learn/learner.h"
#include "schemas/core/json_value.h"

namespace band::client {

// Returns the function for Subject::closed_by. All arguments must outlive it. `place`: the file to which the line would
// be added, or null. `workspace`: may be null. `ceiling` returns the operator's ceiling; it is called at most once,
// when the first line is checked.
using AskCeiling = std::function<std::optional<Rules>()>;
learn::ClosedBy closed_by(const Script& script, const BandPlace* place, const Tree* workspace,
                          const std::vector<JsonValue>& inputs, AskCeiling ceiling);

}  // namespace band::client
