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
  BandFile band;  // the BAND.md of the script (ComposedBand::band)
  Rules written;  // the rules of the band; placeholders such as `{path}` are not replaced
  Rules rules;    // `written` with the paths of the input in place of the placeholders; without an input, a rule that
                  // has a placeholder allows nothing
  std::vector<Rule> unfilled;  // the rules of `written` that have a placeholder; empty if there is an input
  Rules ceiling;               // the operator's rules; empty if unknown
  Permitted permitted;         // `rules` intersected with the ceiling; if `refused` is set, `rules` without the ceiling
  std::optional<Error> refused;  // set if the server refuses every run with `rules` and this ceiling: the reason
};

// Errors: Code::SkillInvalid for rules that no server accepts; Code::InputInvalid if the input property of a
// placeholder does not name a file of the workspace.
Result<Grounds> grounds_of(const ComposedBand& band, const std::optional<JsonValue>& input,
                           const std::optional<Rules>& ceiling);
// Returns grounds with the same band and ceiling as `grounds`, for another input: its only property is `property`, and
// the value of this property is `path`, a file of the workspace. The result has no `written`.
Result<Grounds> with_path(const Grounds& grounds, const std::string& property, const std::string& path);

}  // namespace band::client
