// Finds skills, and loads scripts with their files (docs/skills.md).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schemas/band/band.h"
#include "schemas/core/result.h"
#include "schemas/json_schema/input_schema.h"
#include "schemas/wire/wire.h"

namespace band::client {

// Returns the existing directories of `--skills`, $BAND_SKILLS, ~/.band/skills and the installation, in this order;
// never the current directory. The first directory that contains a skill has precedence. Error (Code::Usage): a
// `--skills` that is not a directory, a relative path in $BAND_SKILLS.
Result<std::vector<std::string>> skill_roots(const std::vector<std::string>& given);

// Returns one sentence, cause and remedy, for each entry of $BAND_SKILLS without skills.
std::vector<std::string> lost_skill_roots();

// Returns the directory of the skills that ship with this program: ../share/band/skills relative to its own directory;
// "" if that is unknown. The directory may be missing.
std::string shipped_root();
// Returns ~/.band/skills and the installed directory: `band call` ignores --skills and $BAND_SKILLS.
std::vector<std::string> installed_roots();

struct SkillPlace {
  std::string name, directory;
};
// Returns whether the directory contains a part of a skill: SKILL.md, BAND.md or scripts/.
bool is_skill(const std::string& directory);
// Returns all skills, sorted by name.
std::vector<SkillPlace> find_skills(const std::vector<std::string>& roots);
// Returns the skill with this name. Error (Code::Usage): not found, with similar names.
Result<SkillPlace> find_skill(const std::vector<std::string>& roots, const std::string& name);
// Returns the names of the `scripts/<name>` directories with a run.sh, sorted; names that begin with `_` are excluded.
std::vector<std::string> script_names(const std::string& skill_directory);
// The first line of `description:` in SKILL.md's frontmatter, or empty.
std::string skill_description(const std::string& skill_directory);

struct ScriptPlace {
  std::string name;  // "hello/greet"
  std::string skill, script, skill_directory;
};
// Does not check that the script exists.
ScriptPlace place_of(const SkillPlace& skill, const std::string& script);
// Errors (Code::Usage): not of the form skill/script, unknown skill or script, with similar names.
Result<ScriptPlace> find_script(const std::vector<std::string>& roots, const std::string& name);

struct Script {
  ScriptPlace place;
  ComposedBand band;
  std::string source;
  std::vector<ShippedFile> lib, skill_files;  // as in ExecRequest
  // Without schemas/input/<name>.json a script accepts only {}; without an output schema any JSON is valid.
  std::optional<InputSchema> input, output;
  std::string input_file, output_file;  // shown paths: "hello/schemas/input/greet.json"; "" without a schema

  Json input_schema() const;        // bundled; without a schema, one that accepts only {}
  std::string description() const;  // the most specific description; empty if band and schema have none
};
// The parts of a script that could be loaded, for checks that do not need the other parts.
struct LoadedScript {
  Script script;
  bool has_band = false;
  bool has_source = false, has_files = false;  // run.sh; the files next to it and in scripts/_lib
  // Whether `script.input` and `script.output` are the schemas that apply to the script's values. Without a band this
  // is known only if the schema has its default place.
  bool has_input = false, has_output = false;

  // Whether names in run.sh can be compared with the files and the band that define them.
  bool has_meaning() const { return has_band && has_source && has_files; }
};
LoadedScript load_parts(const ScriptPlace& place, std::vector<Diagnostic>& errors);
// Reports all errors; returns a script only if there are none.
std::optional<Script> load_script(const ScriptPlace& place, std::vector<Diagnostic>& errors);
// Fills in defaults. Returns an empty list if the input is valid.
std::vector<Violation> check_input(const Script& script, Json& input);
// Checks against the output schema, which is not sent to the server. Code::OutputInvalid with all violations.
std::optional<Error> check_output(const Script& script, const Json& output);
// Returns the properties of the input that may be a text or a list of texts: `{NAME}` can stand for their files.
std::vector<std::string> file_properties(const Script& script);
// Returns those properties whose default contains a name that begins with a dot, an absolute path or a path of a home:
// such a default would open this file when the caller does not set the property.
std::vector<std::string> properties_with_closed_default(const Script& script);

}  // namespace band::client
