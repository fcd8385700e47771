// Where skills lie, and what belongs to a script (design section 1).
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

// `--skills`, $BAND_SKILLS, ~/.band/skills, the installed ones; never the current directory. Existing ones only, in
// this order; the first that has a skill wins. Error (Code::Usage): a `--skills` that is no directory, a relative path
// in $BAND_SKILLS.
Result<std::vector<std::string>> skill_roots(const std::vector<std::string>& given);

// Directories of $BAND_SKILLS that lead to no skill, a sentence each: what is wrong with it, and the mend.
std::vector<std::string> lost_skill_roots();

// Where the skills that ship with this program are: ../share/band/skills beside it; "" when this program's place is not
// known. It need not exist.
std::string shipped_root();
// ~/.band/skills and the installed ones alone: `band call` is not led elsewhere by its arguments or by $BAND_SKILLS.
std::vector<std::string> installed_roots();

struct SkillPlace {
  std::string name, directory;
};
// Has the directory a part of one: SKILL.md, BAND.md or scripts/?
bool is_skill(const std::string& directory);
// Every skill that can be called, sorted by name.
std::vector<SkillPlace> find_skills(const std::vector<std::string>& roots);
// The one of that name. Error (Code::Usage): there is none; with the nearest names.
Result<SkillPlace> find_skill(const std::vector<std::string>& roots, const std::string& name);
// Names of `scripts/<name>` directories that have a run.sh (a `_` in front: not a script), sorted.
std::vector<std::string> script_names(const std::string& skill_directory);
// The first line of `description:` in SKILL.md's frontmatter, or empty.
std::string skill_description(const std::string& skill_directory);

struct ScriptPlace {
  std::string name;  // "hello/greet"
  std::string skill, script, skill_directory;
};
// Whether there is such a script is not asked.
ScriptPlace place_of(const SkillPlace& skill, const std::string& script);
// Errors (Code::Usage): not of the form skill/script, unknown skill or script, with the nearest names.
Result<ScriptPlace> find_script(const std::vector<std::string>& roots, const std::string& name);

struct Script {
  ScriptPlace place;
  ComposedBand band;
  std::string source;
  std::vector<ShippedFile> lib, skill_files;  // ExecRequest has the same
  // Without schemas/input/<name>.json a script takes {} only; without an output schema any JSON is right.
  std::optional<InputSchema> input, output;
  std::string input_file, output_file;  // where they lie: "hello/schemas/input/greet.json"; "" when there is none

  Json input_schema() const;        // bundled; what "takes {} only" means when there is none
  std::string description() const;  // the nearest one; empty when band and schema have none
};
// A script as far as it could be loaded, for what looks at the rest of it all the same.
struct LoadedScript {
  Script script;
  bool has_band = false;
  bool has_source = false, has_files = false;  // run.sh; what lies beside it and in scripts/_lib
  // Whether `script.input` and `script.output` are what the script's values are checked against. Without a band they
  // are known where the schema lies in its usual place.
  bool has_input = false, has_output = false;

  // Whether what run.sh names can be compared with the files and the band that give it a meaning.
  bool has_meaning() const { return has_band && has_source && has_files; }
};
LoadedScript load_parts(const ScriptPlace& place, std::vector<Diagnostic>& errors);
// All diagnostics at once; a script only when there are none.
std::optional<Script> load_script(const ScriptPlace& place, std::vector<Diagnostic>& errors);
// Defaults filled in; empty when it is valid.
std::vector<Violation> check_input(const Script& script, Json& input);
// Against the output schema, which the server does not know: Code::OutputInvalid with all violations.
std::optional<Error> check_output(const Script& script, const Json& output);
// Properties of the input that may be a text, or a list of them: `{NAME}` can stand for a file that one names.
std::vector<std::string> file_properties(const Script& script);
// Those of them whose default in the schema has a name in it that begins with a dot, or a path of the machine or of a
// home: what a caller who says nothing would open.
std::vector<std::string> properties_with_closed_default(const Script& script);

}  // namespace band::client
