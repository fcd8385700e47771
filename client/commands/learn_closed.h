// Lines of learn's that their BAND.md alone does not open: a band that it extends, or the operator's ceiling, has to
// open them as well. Judged as `band why` judges (client/answers).
//
// Does not cover: patterns of files of which the workspace has none, and a ceiling that is not known.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "client/commands/learn_band.h"
#include "client/host/tree.h"
#include "client/learn/learner.h"
#include "schemas/core/json_value.h"

namespace band::client {

// As Subject::closed_by wants it; all that it is given lives longer. `place`: where the line would go; null where there
// is none. `workspace`: null when there is none. `ceiling` is asked when there is a first line, and once.
using AskCeiling = std::function<std::optional<Rules>()>;
learn::ClosedBy closed_by(const Script& script, const BandPlace* place, const Tree* workspace,
                          const std::vector<JsonValue>& inputs, AskCeiling ceiling);

}  // namespace band::client
