// Composes the rules and limits of one script from its BAND.md and the BAND.md files that this file includes and
// extends, and puts the script's input into them. For the client; the server receives the result in a request, and
// passes it to permit() (permit.h). No other code takes a union, a minimum or a default for a run. The table
// in docs/architecture.md 6.1 lists every case.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schemas/band/band.h"
#include "schemas/band/files.h"
#include "schemas/core/diagnostic.h"
#include "schemas/core/json_fwd.h"
#include "schemas/core/result.h"
#include "schemas/rules/limits.h"
#include "schemas/rules/rules.h"

namespace band {

// A limit of an included or extended file that is above the default, and that the script does not have, because the
// file that includes or extends it does not set this limit (limits.h).
struct UnusedLimit {
  std::string text;    // "maxRuntimeMs: 10m"
  std::string origin;  // FILE:LINE
};

// The composed band of a script.
struct ComposedBand {
  BandFile band;                   // the first file, or the file that its `path` names; used for name, config, contract
  Rules rules;                     // composed from all files; an absent limit is the default (limits_of())
  std::vector<std::string> files;  // BandFiles::files
  std::map<std::string, std::string> named_by = {};       // BandFiles::named_by
  std::map<std::string, std::string> limit_origins = {};  // name of a limit -> origin of its value, if not the default
  std::vector<UnusedLimit> unused_limits = {};
};

// Composes the files. After an error, appends to `errors` and returns nullopt. Errors are: those of check_insists()
// (algebra.h) and of narrow() (narrow.h), and more rules or layers than rules.h allows.
std::optional<ComposedBand> compose(const BandFiles& files, std::vector<Diagnostic>& errors);

// Reads the files with read_bands() (schemas/band/files.h) and composes them. Errors: those of both.
std::optional<ComposedBand> compose_band(const std::filesystem::path& skill_dir, const std::string& script_name,
                                         std::vector<Diagnostic>& errors, const BandDraft* draft = nullptr);
// As compose_band(), with read_bands_from().
std::optional<ComposedBand> compose_file(const std::filesystem::path& file, std::vector<Diagnostic>& errors);

// Returns the limits of the band, with the documented default in place of each absent one.
EffectiveLimits limits_of(const ComposedBand& band);

// Replaces placeholders such as `{path}` by the paths that the input names. Errors: those of with_input()
// (placeholders.h); Code::SkillInvalid if check_insists() finds an error.
Result<Rules> compose_input(const Rules& rules, const Json& input);

// Adds the rules of `more` as if `band` included `more`, except that limits of `more` replace those of `band`: the
// caller's own rules and limits for one run.
void add_rules(ComposedBand& band, const BandFile& more);

// Makes maxRuntimeMs at least `least_ms`: for an interactive run.
void lengthen(ComposedBand& band, std::int64_t least_ms);

}  // namespace band
