// The basis of an answer: the rules of a script's band, the paths that its input names, and the operator's ceiling.
// Pure.
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
  BandFile band;               // the file of the script's own rules
  Rules written;               // the rules of the band, with `{path}` not yet replaced
  Rules rules;                 // the same with the paths from the input; without an input `{path}` opens nothing
  std::vector<Rule> unfilled;  // rules of `written` with a placeholder; empty if there is an input
  Rules ceiling;               // the operator's rules; empty if unknown
  Permitted permitted;         // `rules` under the ceiling; without the ceiling if `refused` is set: then no run starts
  std::optional<Error> refused;
};

// Errors: Code::SkillInvalid for rules that no server accepts; Code::InputInvalid for an input that does not name a
// file of the workspace for a placeholder.
Result<Grounds> grounds_of(const ComposedBand& band, const std::optional<JsonValue>& input,
                           const std::optional<Rules>& ceiling);
// Returns the same grounds for an input whose `property` is the path of this file of the workspace.
Result<Grounds> with_path(const Grounds& grounds, const std::string& property, const std::string& path);

}  // namespace band::client
