// The data from which `band why` derives whether the rules of a script allow an action: the rules of the script's band,
// the paths that the script's input names, and the operator's ceiling (the rules in server.yaml that bound every
// request). A placeholder is a rule such as `{path}`, which stands for the files that the property `path` of the input
// names. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schemas/core/json_value.h"
#include "schemas/core/result.h"
#include "schemas/permit/compose.h"
#include "schemas/permit/permit.h"
#include "schemas/rules/rules.h"

namespace band::client {

struct Grounds {
  BandFile band;  // the BAND.md of the script (ComposedBand::band)
  Rules written;  // the rules of the band; placeholders are not replaced
  Rules rules;    // `written` with the paths of the input in place of the placeholders; a placeholder is removed if the
                  // input does not have its property, or if there is no input
  std::vector<Rule> unfilled;  // the placeholders in `written`; empty if there is an input
  Rules ceiling;               // the operator's rules; if unknown, empty, which restricts nothing
  Permitted permitted;         // `rules` intersected with the ceiling; if `refused` is set, `rules` without the ceiling
  std::optional<Error> refused;  // set if the server refuses every run with `rules` and this ceiling: the reason
};

// `input`, `ceiling`: nullopt if they are not known. Errors: Code::SkillInvalid for rules that no server accepts;
// Code::InputInvalid if the input property of a placeholder does not name a file of the workspace.
Result<Grounds> grounds_of(const ComposedBand& band, const std::optional<JsonValue>& input,
                           const std::optional<Rules>& ceiling);
// Returns grounds with the same band and ceiling as `grounds`, for another input: its only property is `property`, and
// the value of this property is `path`, a file of the workspace. In the result, `written` and `unfilled` are empty.
// Errors: as for grounds_of().
Result<Grounds> with_path(const Grounds& grounds, const std::string& property, const std::string& path);

}  // namespace band::client
