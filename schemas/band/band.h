// A band: parses the YAML frontmatter of a BAND.md, reports errors with their positions, and composes bands into rules.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/diagnostic.h"
#include "schemas/core/json_value.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band {

inline constexpr std::size_t kMaxBandFileBytes = 64 << 10;

struct BandFile {
  std::string file;  // its name in messages and origins
  std::string name;  // `band:`
  std::string icon, description, version;
  RuleSet allow_cli, allow_net, allow_read, allow_write;
  RuleSet deny_cli, deny_net, deny_read, deny_write;
  RuleSet insist_cli, insist_net, insist_read, insist_write;
  Limits limit;
  std::vector<EnvRule> env;
  // The value of the key that has the band's name. Composition joins it with that of bands of the same name (narrow.h).
  JsonValue config = JsonValue::object();
  std::string path;                            // another BAND.md that replaces this one, or empty
  std::vector<std::string> extends, includes;  // paths of BAND.md files, relative to this file
  std::string min_band_version;                // requires.band
  std::vector<std::string> targets;            // execution.targets: allowed targets; empty: all
  std::string input_schema, output_schema;     // contract.input / contract.output, relative to this file
  std::vector<std::string> provides;
  std::map<std::string, std::pair<int, int>> places;  // JSON pointer of a value ("/extends/0") -> line and column
};

// Appends all errors of the file, each with its position. `text` is a whole BAND.md: `---`, YAML, `---`, Markdown.
// Checks it against band.schema.json, and also for duplicate keys, aliases, and invalid patterns, durations and sizes.
std::optional<BandFile> parse_band(std::string_view text, const std::string& file, std::vector<Diagnostic>& errors);

// The composed band of a script: the nearest of scripts/<name>/BAND.md, scripts/BAND.md and BAND.md, with its `path`,
// `extends` and `includes` followed. Refused: files outside `skill_dir/..`, more than 16 files, cycles.
struct ComposedBand {
  BandFile band;  // the nearest, for name, description, config, contract
  Rules rules;
  std::vector<std::string> files;  // every file that was read
  // For each file but the first: the key that names it and its position: "extends, github/BAND.md:5".
  std::map<std::string, std::string> named_by = {};
  std::map<std::string, std::string> limit_origins = {};  // limit -> origin: "github/BAND.md:12"
};
// A BAND.md that is not yet written: `text` replaces the content of the file at `path`, which need not exist. All of
// `path` but its last part is resolved.
struct BandDraft {
  std::filesystem::path path;
  std::string text;
};
// Returns the most specific BAND.md of `script`, a single path component; with an empty `script` the skill's BAND.md.
std::optional<std::filesystem::path> nearest_band_file(const std::filesystem::path& skill, const std::string& script,
                                                       const BandDraft* draft = nullptr);
std::optional<ComposedBand> compose_band(const std::filesystem::path& skill_dir, const std::string& script_name,
                                         std::vector<Diagnostic>& errors, const BandDraft* draft = nullptr);
// Composes any BAND.md; the files that it names must be in its directory or below.
std::optional<ComposedBand> compose_file(const std::filesystem::path& file, std::vector<Diagnostic>& errors);
// Adds `more` as if `band` included it, except that its limits replace those of the band.
void add_rules(ComposedBand& band, const BandFile& more);

}  // namespace band
