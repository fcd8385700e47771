// What the answers are given from: the rules of a script's band, what its input names, and the operator's ceiling.
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
  BandFile band;               // where the script's own rules stand
  Rules written;               // the band's, with `{path}` as it is written
  Rules rules;                 // the same with what the input names; without input `{path}` opens nothing
  std::vector<Rule> unfilled;  // rules of `written` that are a placeholder; none when there is an input
  Rules ceiling;               // the operator's; empty when it is not known
  Permitted permitted;         // `rules` under the ceiling; without one where `refused` says that no run starts
  std::optional<Error> refused;
};

// Errors: Code::SkillInvalid for rules that no server takes, Code::InputInvalid for an input that names no file of the
// workspace where a placeholder wants one.
Result<Grounds> grounds_of(const ComposedBand& band, const std::optional<JsonValue>& input,
                           const std::optional<Rules>& ceiling);
// The same grounds where `property` of the input is the path of this file of the workspace.
Result<Grounds> with_path(const Grounds& grounds, const std::string& property, const std::string& path);

}  // namespace band::client
