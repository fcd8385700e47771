// A band is the YAML frontmatter of a BAND.md: the rules for scripts. This room parses a band and reports errors with
// their positions (this header), and finds and reads the BAND.md files that name one another (files.h).
// schemas/permit/compose.h composes them into the rules of one script.
//
// "Position" is a line and a column. The *origin* of a rule is the text FILE:LINE ("github/BAND.md:9").
#pragma once

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

// Where a key stands in a file, and how its value is written.
struct KeyPlace {
  int line = 0;         // from 1; 0: the file does not have the key
  bool flow = false;    // the value is a map in braces, or a list in brackets
  bool empty = false;   // the value is `{}` or `[]`
  bool single = false;  // the value is neither a map nor a list nor missing: `cli: git log *`
};

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
  std::map<std::string, KeyPlace> keys;               // JSON pointer of a value -> the place of its key, in maps
};

// Parses `text`, a whole BAND.md: `---`, YAML, `---`, Markdown. Appends all errors to `errors`, each with its position;
// returns nullopt if there is an error. Errors are violations of band.schema.json, YAML that parse_yaml() refuses, and
// invalid patterns, durations and sizes.
std::optional<BandFile> parse_band(std::string_view text, const std::string& file, std::vector<Diagnostic>& errors);

}  // namespace band
