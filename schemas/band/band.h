// A band: the YAML frontmatter of a BAND.md, its diagnostics, and composition into rules.
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
  std::string file;  // as shown in messages and origins
  std::string name;  // `band:`
  std::string icon, description, version;
  RuleSet allow_cli, allow_net, allow_read, allow_write;
  RuleSet deny_cli, deny_net, deny_read, deny_write;
  RuleSet insist_cli, insist_net, insist_read, insist_write;
  Limits limit;
  std::vector<EnvRule> env;
  // The band's own key, named like the band; composed, with that of bands of the same name (narrow.h).
  JsonValue config = JsonValue::object();
  std::string path;                            // delegates to another BAND.md, or empty
  std::vector<std::string> extends, includes;  // paths of BAND.md files, relative to this file
  std::string min_band_version;                // requires.band
  std::vector<std::string> targets;            // execution.targets: where scripts may run; empty: anywhere
  std::string input_schema, output_schema;     // contract.input / contract.output, relative to this file
  std::vector<std::string> provides;
  std::map<std::string, std::pair<int, int>> places;  // line and column of every value, by JSON pointer ("/extends/0")
};

// All errors of the file at once, each with its place. `text` is a whole BAND.md: `---`, YAML, `---`, Markdown.
// What is accepted is what band.schema.json says; further checks: duplicate keys, aliases, patterns, durations, sizes.
std::optional<BandFile> parse_band(std::string_view text, const std::string& file, std::vector<Diagnostic>& errors);

// The band that governs a script, composed: nearest of scripts/<name>/BAND.md, scripts/BAND.md, BAND.md; `path`,
// `extends` and `includes` followed (never outside the skill's own root `skill_dir/..`, at most 16 files, cycles
// refused).
struct ComposedBand {
  BandFile band;  // the nearest, for name, description, config, contract
  Rules rules;
  std::vector<std::string> files;  // every file that took part
  // Of each file but the first: the key that names it, and where: "extends, github/BAND.md:5".
  std::map<std::string, std::string> named_by = {};
  std::map<std::string, std::string> limit_origins = {};  // of each limit that a file states: "github/BAND.md:12"
};
// A BAND.md as it would be: `text` counts in place of what lies at `path`, which is resolved but for its last part. The
// file need not exist.
struct BandDraft {
  std::filesystem::path path;
  std::string text;
};
// The most specific BAND.md of a script, whose name is one part of a path; of the skill itself where that is empty.
std::optional<std::filesystem::path> nearest_band_file(const std::filesystem::path& skill, const std::string& script,
                                                       const BandDraft* draft = nullptr);
std::optional<ComposedBand> compose_band(const std::filesystem::path& skill_dir, const std::string& script_name,
                                         std::vector<Diagnostic>& errors, const BandDraft* draft = nullptr);
// One BAND.md, wherever it lies; what it follows lies in its directory or below.
std::optional<ComposedBand> compose_file(const std::filesystem::path& file, std::vector<Diagnostic>& errors);
// `more` as if `band` included it, but for its limits, which take the place of the band's.
void add_rules(ComposedBand& band, const BandFile& more);

}  // namespace band
