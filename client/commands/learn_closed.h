// Lines of `band learn` that their BAND.md alone does not open: a band that it extends, or the operator's ceiling, has
// to open them as well. Decided by the code of `band why` (client/answers).
//
// Does not cover: file patterns that match no file of the workspace, and a ceiling that is not known.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "client/commands/learn_band.h"
#include "client/host/tree.h"
#include "client/learn/learner.h"
#include "schemas/core/json_value.h"

namespace band::client {

// Returns the function for Subject::closed_by. All arguments must outlive it. `place`: the file that would receive the
// line, or null. `workspace`: may be null. `ceiling` is called at most once, when the first line is checked.
using AskCeiling = std::function<std::optional<Rules>()>;
learn::ClosedBy closed_by(const Script& script, const BandPlace* place, const Tree* workspace,
                          const std::vector<JsonValue>& inputs, AskCeiling ceiling);

}  // namespace band::client
