// The data from which `band why` derives an answer: the rules of a script's band, the paths that the script's input
// names, and the operator's ceiling. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schemas/band/band.h"
#include "schemas/ceiling/permit.h"
#include "schemas/core/json_value.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band::client {

struct Grounds {
  BandFile band;  // the file of the script's own rules
  Rules written;  // the rules of the band; placeholders such as `{path}` are not replaced
  Rules rules;    // `written` with the paths of the input in place of the placeholders; without an input, a placeholder
                  // allows nothing
  std::vector<Rule> unfilled;    // rules of `written` with a placeholder; empty if there is an input
  Rules ceiling;                 // the operator's rules; empty if unknown
  Permitted permitted;           // `rules` intersected with the ceiling; if `refused` is set, only `rules`
  std::optional<Error> refused;  // why the server refuses every run with `rules` and this ceiling
};

// Errors: Code::SkillInvalid for rules that no server accepts; Code::InputInvalid if the input property of a
// placeholder does not name a file of the workspace.
Result<Grounds> grounds_of(const ComposedBand& band, const std::optional<JsonValue>& input,
                           const std::optional<Rules>& ceiling);
// Returns `grounds` as grounds_of() returns them for an input whose property `property` is `path`, a file of the
// workspace.
Result<Grounds> with_path(const Grounds& grounds, const std::string& property, const std::string& path);

}  // namespace band::client
