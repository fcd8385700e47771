#include "client/checks/check_skill.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "client/checks/commands.h"
#include "client/checks/given_input.h"
#include "client/checks/known_notes.h"
#include "client/checks/paths.h"
#include "client/checks/schemas.h"
#include "client/checks/script_calls.h"
#include "client/checks/shell_files.h"
#include "client/checks/shellcheck.h"
#include "client/checks/skill_examples.h"
#include "client/checks/skill_md.h"
#include "client/checks/variables.h"
#include "client/host/tree.h"
#include "client/skill_tests/files.h"
#include "client/skills/skills.h"
#include "client/skills/syntax.h"
#include "schemas/core/json_text.h"
#include "schemas/programs/unbound_rules.h"
#include "schemas/wire/names.h"
#include "schemas/wire/wire.h"

namespace band::client {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSkillMdBytes = 1u << 20;
constexpr std::size_t kMaxShellBytes = 16u << 20;

// Returns the subdirectories of scripts/ that contain scripts, sorted.
std::vector<std::string> script_directories(const fs::path& skill) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(skill / "scripts", error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    const std::string name = it->path().filename().string();
    if (it->is_directory(ignored) && !name.starts_with("_")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void note_rules(const Rules& rules, std::vector<Diagnostic>& notes) {
  for (const auto& found : {unbound_rules(rules.cli), unbound_writes(rules), closed_paths(rules), unread_writes(rules),
                            obeyed_writes(rules), unbound_hosts(rules.net)})
    notes.insert(notes.end(), found.begin(), found.end());
}

constexpr std::int64_t kShortestRunMs = 1'000;  // a sandbox with bash and one or two programs takes tenths of a second

// Notes a maxRuntimeMs that was probably written in seconds.
void note_limits(const ComposedBand& band, std::vector<Diagnostic>& notes) {
  const auto& given = band.rules.limit.maxRuntimeMs;
  const auto origin = band.limit_origins.find("maxRuntimeMs");
  if (!given || *given >= kShortestRunMs || origin == band.limit_origins.end()) return;
  const std::size_t colon = origin->second.rfind(':');
  const std::string number = std::to_string(*given);
  notes.push_back(
      {origin->second.substr(0, colon), std::atoi(origin->second.c_str() + colon + 1), 0,
       "limit.maxRuntimeMs: a run is killed after " + number + " ms, which is too short for nearly every script",
       "write maxRuntimeMs: " + number + "000 for " + number + " s"});
}

// Notes limits of included and extended bands that authors could expect to apply.
void note_unused_limits(const ComposedBand& band, std::vector<Diagnostic>& notes) {
  for (const UnusedLimit& limit : band.unused_limits)
    notes.push_back(at_origin(limit.origin,
                              "limit." + limit.text + " has no effect in " + band.band.file +
                                  ", which sets no such limit and therefore has the default: a limit of an included or "
                                  "extended BAND.md only lowers a limit",
                              "write `limit: {" + limit.text + "}` in " + band.band.file));
}

class SkillCheck {
 public:
  SkillCheck(const fs::path& directory, const CheckOptions& options, CheckedSkills& found)
      : directory_(directory),
        options_(options),
        found_(found),
        skill_(directory.filename().string()),
        schemas_(read_schemas(directory.string())) {}

  void check() {
    found_.skills.push_back(skill_);
    if (!is_script_name(skill_ + "/x")) complain("", "the directory's name is not valid for a skill", kNameRule);
    load_scripts();
    check_skill_file();
    check_tests();
    const bool complete = scripts_.size() == names_.size() &&
                          std::all_of(scripts_.begin(), scripts_.end(), [](const auto& s) { return s.has_meaning(); });
    check_schemas(skill_, schemas_, {names_, stated_, bands_known_}, found_);
    check_syntax(skill_, directory_.string(), names_, found_.errors, of_text_);
    const ShellSkill shell = read_shell_files(scripts_, complete && shell_bytes_ <= kMaxShellBytes);
    note_unset_variables(shell, of_text_);
    if (complete) env_uses_.note_unused(found_.notes);
    note_commands(shell, of_text_);
    note_paths(shell, of_text_);
    if (!options_.shellcheck.empty())
      run_shellcheck({options_.shellcheck, options_.shellcheck_ms, options_.progress}, shell, of_text_);
    split_known();
  }

 private:
  void split_known() {
    split_known_notes(skill_, directory_.string(), found_.notes, found_.known_of_band);
    split_known_notes(skill_, directory_.string(), of_text_, found_.known);
    found_.notes.insert(found_.notes.end(), of_text_.begin(), of_text_.end());
  }

  void complain(const std::string& file, std::string what, std::string hint) {
    found_.errors.push_back({skill_ + "/" + file, 0, 0, std::move(what), std::move(hint)});
  }

  void load_scripts() {
    names_ = script_directories(directory_);
    if (names_.empty())
      complain("scripts", "has no script",
               "write scripts/NAME/run.sh; `band convert` creates them for an ordinary Agent Skill");
    std::vector<Diagnostic> errors;
    for (const std::string& name : names_) {
      if (!is_script_name("x/" + name)) {
        complain("scripts/" + name, "the directory's name is not valid for a script", kNameRule);
        continue;
      }
      const ScriptPlace place = place_of({skill_, directory_.string()}, name);
      found_.scripts.push_back(place.name);
      LoadedScript loaded = load_parts(place, errors);
      note_unchecked(loaded);
      if (loaded.has_band) check_band(loaded);
      if (loaded.has_meaning()) env_uses_.add(loaded.script);
      keep_shell_files(loaded.script);
      scripts_.push_back(std::move(loaded));
    }
    locate_in_schemas(skill_, schemas_, errors);
    found_.errors.insert(found_.errors.end(), errors.begin(), errors.end());
  }

  void check_band(const LoadedScript& loaded) {
    const ComposedBand& band = loaded.script.band;
    for (const std::string& schema : {band.band.input_schema, band.band.output_schema})
      stated_.insert(fs::path(schema).filename().string());
    note_rules(band.rules, found_.notes);
    note_limits(band, found_.notes);
    note_unused_limits(band, found_.notes);
  }

  // Adds a note that names the checks which were skipped because of other errors. Scripts that share a band have one
  // note.
  void note_unchecked(const LoadedScript& loaded) {
    const ScriptPlace& place = loaded.script.place;
    bands_known_ = bands_known_ && loaded.has_band;
    const std::string uses = std::string("whether the band allows the variables, commands and files that its scripts") +
                             (loaded.script.lib.empty() ? "" : " and scripts/_lib") + " use";
    if (!loaded.has_band) {
      const auto band = nearest_band_file(directory_, place.script);
      const fs::path shown = band ? band->lexically_relative(directory_) : fs::path("BAND.md");
      found_.notes.push_back({skill_ + "/" + shown.generic_string(), 0, 0,
                              "is not a valid band, so these were not checked: its rules, unused schemas, and " + uses,
                              "correct it, and validate again"});
    } else if (loaded.has_source && !loaded.has_files) {
      found_.notes.push_back({loaded.script.band.band.file, 0, 0,
                              "was not compared with scripts/" + place.script +
                                  ", because the files of this script have errors. Not checked: " + uses,
                              "correct them, and validate again"});
    }
  }

  // Drops the files that read_shell_files() does not read, to save memory: each script of a skill has its own copy of
  // the files that all scripts share (up to 8 MiB), and of texts that are part of several scripts through links.
  void keep_shell_files(Script& script) {
    if (!scripts_.empty()) script.lib.clear();
    for (std::vector<ShippedFile>* files : {&script.lib, &script.skill_files}) {
      std::erase_if(*files, [&](const ShippedFile& file) {
        if (!file.path.ends_with(".sh")) return true;
        const bool had_room = shell_bytes_ <= kMaxShellBytes;
        shell_bytes_ += file.content.size();
        if (had_room && shell_bytes_ > kMaxShellBytes)
          found_.notes.push_back({script.place.name, 0, 0,
                                  "the scripts have more than 16 MiB of shell text; from " + escaped(file.path) +
                                      " on, the *.sh next to run.sh were not read",
                                  "move shared files into scripts/_lib"});
        return shell_bytes_ > kMaxShellBytes;
      });
      files->shrink_to_fit();
    }
  }

  void check_skill_file() {
    const auto tree = Tree::open(directory_.string());
    if (!tree.ok()) return;
    const Tree::Found place = tree->resolve("SKILL.md");
    if (place.kind == Tree::Kind::Missing)
      return complain("SKILL.md", "is missing", "write one: it explains to agents what the skill is for");
    int err = 0;
    const auto file = place.kind == Tree::Kind::File ? tree->read(place.path, kMaxSkillMdBytes, err) : std::nullopt;
    if (!file)
      return complain("SKILL.md", "cannot be read, is not a regular file of the skill, or has more than 1 MiB",
                      "write it as a text file in the skill's directory");
    const auto has_file = [&](const std::string& path) { return tree->resolve(path).kind != Tree::Kind::Missing; };
    const auto lines = check_skill_md(skill_, file->content, has_file, found_);
    note_script_calls(skill_, lines, names_, found_.notes);
    check_examples(skill_, lines, scripts_, names_, inputs_, found_.errors);
  }

  void check_tests() {
    const SkillTests tests = load_tests({skill_, directory_.string()}, skill_);
    found_.errors.insert(found_.errors.end(), tests.errors.begin(), tests.errors.end());
    found_.notes.insert(found_.notes.end(), tests.notes.begin(), tests.notes.end());
    for (const SkillCase& one : tests.cases)
      for (const LoadedScript& loaded : scripts_)
        if (loaded.script.place.script == one.script && loaded.has_input) inputs_.check(loaded.script, one);
  }

  const fs::path& directory_;
  const CheckOptions& options_;
  CheckedSkills& found_;
  const std::string skill_;
  const SchemaFiles schemas_;
  std::vector<std::string> names_;  // names of its scripts, including those that cannot be loaded
  std::vector<LoadedScript> scripts_;
  std::vector<Diagnostic> of_text_;  // notes on the text of the scripts
  EnvUses env_uses_;
  GivenInputs inputs_{found_.errors};
  std::size_t shell_bytes_ = 0;   // size of the *.sh in scripts/
  std::set<std::string> stated_;  // schemas named by bands
  bool bands_known_ = true;       // the bands of all scripts are valid
};

}  // namespace

void check_skill(const fs::path& directory, const CheckOptions& options, CheckedSkills& found) {
  std::vector<Diagnostic> before = std::exchange(found.notes, {});  // notes of other skills
  SkillCheck(directory, options, found).check();
  found.notes.insert(found.notes.begin(), before.begin(), before.end());
}

void sort_findings(CheckedSkills& found) {
  sort_by_place(found.errors);
  sort_by_place(found.notes);
  sort_by_place(found.known);
  sort_by_place(found.known_of_band);
}

}  // namespace band::client
