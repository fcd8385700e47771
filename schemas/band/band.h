// A band is the YAML frontmatter of a BAND.md: the rules for scripts. This directory parses a band, reports errors with
// their positions, and composes the bands that extend or include one another into the rules of one script.
//
// "Position" is a line and a column. The *origin* of a rule is the text FILE:LINE ("github/BAND.md:9").
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
  std::string file;  // the name of the file in messages and origins
  std::string name;  // `band:`
  std::string icon, description, version;
  RuleSet allow_cli, allow_net, allow_read, allow_write;
  RuleSet deny_cli, deny_net, deny_read, deny_write;
  RuleSet insist_cli, insist_net, insist_read, insist_write;
  Limits limit;
  std::vector<EnvRule> env;
  // The configuration: the value of the key that is the band's name (`github: {...}` in the band `github`). Scripts
  // read it at $CONFIG_PATH. Composition joins the configurations of bands that have the same name (narrow.h).
  JsonValue config = JsonValue::object();
  std::string path;                                   // path of the BAND.md that is used instead of this file, or empty
  std::vector<std::string> extends, includes;         // paths of BAND.md files, relative to this file
  std::string min_band_version;                       // requires.band
  std::vector<std::string> targets;                   // execution.targets: allowed targets; empty: all
  std::string input_schema, output_schema;            // contract.input / contract.output, relative to this file
  std::vector<std::string> provides;                  // words for searching
  std::map<std::string, std::pair<int, int>> places;  // JSON pointer of a value ("/extends/0") -> line and column
};

// Parses `text`, a whole BAND.md: `---`, YAML, `---`, Markdown. Appends all errors to `errors`, each with its position;
// returns nullopt if there is an error. Errors are violations of band.schema.json, YAML that parse_yaml() refuses, and
// invalid patterns, durations and sizes.
std::optional<BandFile> parse_band(std::string_view text, const std::string& file, std::vector<Diagnostic>& errors);

// The composed band of a script. Composition starts with the most specific BAND.md of the script and follows the keys
// `path`, `extends` and `includes` of each file to other BAND.md files.
struct ComposedBand {
  BandFile band;                   // the first file, or the file that its `path` names; used for name, config, contract
  Rules rules;                     // composed from all files
  std::vector<std::string> files;  // every file that was read, in the order of reading
  // For each file but the first: the key by which another file names it, and the FILE:LINE where this happens:
  // "extends, github/BAND.md:5".
  std::map<std::string, std::string> named_by = {};
  std::map<std::string, std::string> limit_origins = {};  // name of a limit -> origin of its value
};
// A BAND.md that is not yet written: `text` is used as the content of the file at `path`, which need not exist. Only
// the last part of `path` may be a link.
struct BandDraft {
  std::filesystem::path path;
  std::string text;
};
// Returns the most specific BAND.md of `script`: the first that exists of scripts/SCRIPT/BAND.md, scripts/BAND.md and
// BAND.md in directory `skill`. With an empty `script`: the skill's BAND.md. Returns nullopt if none of these files
// exists. `draft` counts as an existing file.
std::optional<std::filesystem::path> nearest_band_file(const std::filesystem::path& skill, const std::string& script,
                                                       const BandDraft* draft = nullptr);
// Composes the band of a script. After an error, appends to `errors` and returns nullopt. Errors are: those of
// parse_band(), of check_insists() (algebra.h) and of narrow(); no BAND.md; a file that cannot be read or is outside
// the directory that contains `skill_dir`; more than 16 files, or more rules or layers than rules.h allows; files that
// name one another in a cycle; and a file that requires a newer version of band.
std::optional<ComposedBand> compose_band(const std::filesystem::path& skill_dir, const std::string& script_name,
                                         std::vector<Diagnostic>& errors, const BandDraft* draft = nullptr);
// As compose_band(), but starts with the BAND.md `file`. All other files must be in the directory of `file` or below
// this directory.
std::optional<ComposedBand> compose_file(const std::filesystem::path& file, std::vector<Diagnostic>& errors);
// Adds the rules of `more` as if `band` included `more`, except that limits of `more` replace those of `band`.
void add_rules(ComposedBand& band, const BandFile& more);

}  // namespace band
