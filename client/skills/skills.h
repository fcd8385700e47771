// Finds skills (directories with scripts for an AI agent), and loads scripts with their files (docs/skills.md). The
// band of a script is composed of the BAND.md that applies to the script, and of the bands that this BAND.md extends
// and includes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/json_schema/input_schema.h"
#include "schemas/permit/compose.h"
#include "schemas/wire/wire.h"

namespace band::client {

// Returns the directories that contain skills: those of `--skills` (`given`), those of $BAND_SKILLS, ~/.band/skills and
// shipped_root(), in this order. Leaves out directories that do not exist; never adds the current directory. If several
// directories contain a skill of the same name, the skill in the first of these directories is used. Errors
// (Code::Usage): a value of `--skills` is not a directory, a path in $BAND_SKILLS is relative.
Result<std::vector<std::string>> skill_roots(const std::vector<std::string>& given);

// Returns one text for each directory of $BAND_SKILLS that contains no skill: the directory and the cause.
std::vector<std::string> lost_skill_roots();

// Returns ~/.band/skills and shipped_root() (client/host/environment.h), without missing directories. `band call` uses
// only these and ignores
// --skills and $BAND_SKILLS.
std::vector<std::string> installed_roots();

struct SkillPlace {
  std::string name, directory;
};
// Returns whether the directory contains a part of a skill: SKILL.md, BAND.md or scripts/.
bool is_skill(const std::string& directory);
// Returns all skills in these directories, sorted by name.
std::vector<SkillPlace> find_skills(const std::vector<std::string>& roots);
// Returns the skill with this name. Error (Code::Usage): there is no such skill; the error names similar skills.
Result<SkillPlace> find_skill(const std::vector<std::string>& roots, const std::string& name);
// Returns the names of the `scripts/<name>` directories with a run.sh, sorted; names that begin with `_` are excluded.
std::vector<std::string> script_names(const std::string& skill_directory);
// Returns the first line of `description:` in SKILL.md's frontmatter; "" if there is none.
std::string skill_description(const std::string& skill_directory);

struct ScriptPlace {
  std::string name;  // "hello/greet"
  std::string skill, script, skill_directory;
};
// Returns where `script` of this skill would be; does not check that the script exists.
ScriptPlace place_of(const SkillPlace& skill, const std::string& script);
// Finds the script with this name (SKILL/SCRIPT). Errors: Code::Usage if `name` has another form, or if the skill or
// the script does not exist (the hint then has similar names); Code::SkillInvalid if the script's directory has no
// run.sh.
Result<ScriptPlace> find_script(const std::vector<std::string>& roots, const std::string& name);

struct Script {
  ScriptPlace place;
  ComposedBand band;
  std::string source;  // the text of run.sh
  // lib: the files of scripts/_lib, with paths relative to it. skill_files: the files next to run.sh, and those of
  // assets/ and references/, with paths relative to the skill.
  std::vector<ShippedFile> lib, skill_files;
  // Without an input schema, the script accepts only {}; without an output schema, any JSON is valid output.
  std::optional<InputSchema> input, output;
  std::string input_file, output_file;  // for messages: "hello/schemas/input/greet.json"; "": no schema

  Json input_schema() const;  // InputSchema::bundled(); without a schema, a schema that accepts only {}
  // Returns the first of these texts that is not empty: the description in the BAND.md of the script's own directory
  // (scripts/NAME); the description or title in the input schema; the description in the BAND.md that applies to the
  // script. Returns "" if all are empty.
  std::string description() const;
};
// A script of which some parts may have failed to load, for checks that need only the loaded parts.
struct LoadedScript {
  Script script;
  bool has_band = false;
  bool has_source = false;  // run.sh
  bool has_files = false;   // `lib` and `skill_files`
  // has_input: `script.input` is the input schema of the script, or is absent because the script has none. has_output:
  // the same for `script.output`. False if the schema has an error. Without the band, only the default place
  // (schemas/input/NAME.json) is read. If no file is there, the value is false, because the band may name another file.
  bool has_input = false, has_output = false;

  // Returns true when the names of files, commands and variables in run.sh can be checked: run.sh, all files and the
  // band are loaded.
  bool has_meaning() const { return has_band && has_source && has_files; }
};
// Loads every part that has no error, and adds the errors of the other parts to `errors`. Links that point outside the
// skill are errors.
LoadedScript load_parts(const ScriptPlace& place, std::vector<Diagnostic>& errors);
// Reports all errors; returns a script only if there are none.
std::optional<Script> load_script(const ScriptPlace& place, std::vector<Diagnostic>& errors);
// Checks `input` against the input schema and adds the schema's defaults to `input`. Returns an empty list if the input
// is valid.
std::vector<Violation> check_input(const Script& script, Json& input);
// Checks `output` against the output schema. The server does not have this schema, so it cannot check the output.
// Error: Code::OutputInvalid with all violations.
std::optional<Error> check_output(const Script& script, const Json& output);
// Returns the properties of the input that may be a text or a list. For such a property, a pattern `{NAME}` in the band
// stands for the files that the property's value names.
std::vector<std::string> file_properties(const Script& script);
// Returns the properties of the input whose default (a text, or a text in a list) is not an ordinary file of the
// workspace: a path with a name that begins with a dot, an absolute path, a path below a home directory, or the
// workspace itself. `band learn` proposes no rule `{NAME}` for such a property: for a caller that does not set the
// property, the rule would allow the file of the default.
std::vector<std::string> properties_with_closed_default(const Script& script);

}  // namespace band::client
