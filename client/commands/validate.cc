#include <algorithm>
#include <filesystem>
#include <set>

#include "client/commands/commands.h"
#include "client/skills/syntax.h"
#include "client/terminal/nearest.h"
#include "schemas/core/json.h"
#include "schemas/programs/unbound_rules.h"

namespace band::client {
namespace {

namespace fs = std::filesystem;

struct Findings {
  std::vector<Diagnostic> errors, notes;
  std::vector<std::string> scripts, skills;
};

bool is_skill_directory(const fs::path& path) {
  std::error_code error;
  return fs::exists(path / "SKILL.md", error) || fs::exists(path / "BAND.md", error) ||
         fs::is_directory(path / "scripts", error);
}

std::vector<std::string> json_files(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".json") names.push_back(it->path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string in_directory(const fs::path& directory, const std::string& name) { return (directory / name).string(); }

// A schema whose script has another name is of no use: the script takes {} only, or puts out anything. `stated` are
// those that a band's `contract` names.
void note_lost_schemas(const fs::path& directory, const std::vector<std::string>& scripts,
                       const std::set<std::string>& stated, std::vector<Diagnostic>& notes) {
  for (const std::string side : {"input", "output"})
    for (const std::string& name : json_files(directory / "schemas" / side)) {
      const bool known = std::find(scripts.begin(), scripts.end(), name) != scripts.end();
      if (known || stated.contains(name + ".json")) continue;
      notes.push_back(
          {in_directory(directory.filename() / "schemas" / side, name + ".json"), 0, 0,
           "no script is called `" + name + "`",
           did_you_mean(name, scripts, "", "call it as the script; what others refer to lies in schemas/defs")});
    }
}

void validate_skill(const fs::path& directory, Findings& found) {
  const std::string name = directory.filename().string();
  const auto complain = [&](const std::string& file, std::string what, std::string hint) {
    found.errors.push_back({name + "/" + file, 0, 0, std::move(what), std::move(hint)});
  };
  found.skills.push_back(name);
  if (!is_script_name(name + "/x"))
    complain("", "the directory's name cannot be a skill's",
             "1 to 64 of A-Z a-z 0-9 . _ -, the first a letter or digit");
  std::error_code error;
  if (!fs::exists(directory / "SKILL.md", error))
    complain("SKILL.md", "is missing", "write one: it tells the agent what the skill is for");
  std::vector<std::string> scripts;
  std::set<std::string> schemas;  // that bands state
  std::vector<fs::path> entries;
  for (fs::directory_iterator it(directory / "scripts", error), end; !error && it != end; it.increment(error))
    entries.push_back(it->path());
  std::sort(entries.begin(), entries.end());
  for (const fs::path& entry : entries) {
    const std::string script = entry.filename().string();
    std::error_code ignored;
    if (!fs::is_directory(entry, ignored) || script.starts_with("_")) continue;
    scripts.push_back(script);
    if (!is_script_name("x/" + script)) {
      complain("scripts/" + script, "the directory's name cannot be a script's",
               "1 to 64 of A-Z a-z 0-9 . _ -, the first a letter or digit");
      continue;
    }
    std::string whole = name;
    whole.append("/").append(script);
    found.scripts.push_back(whole);
    const auto loaded = load_script({whole, name, script, directory.string()}, found.errors);
    if (!loaded) continue;
    for (const std::string& schema : {loaded->band.band.input_schema, loaded->band.band.output_schema})
      schemas.insert(fs::path(schema).filename().string());
    for (Diagnostic& note : unbound_rules(loaded->band.rules.cli)) found.notes.push_back(std::move(note));
    for (Diagnostic& note : unbound_writes(loaded->band.rules)) found.notes.push_back(std::move(note));
    for (Diagnostic& note : closed_paths(loaded->band.rules)) found.notes.push_back(std::move(note));
    for (Diagnostic& note : unread_writes(loaded->band.rules)) found.notes.push_back(std::move(note));
    for (Diagnostic& note : unbound_hosts(loaded->band.rules.net)) found.notes.push_back(std::move(note));
  }
  if (scripts.empty()) complain("scripts", "has no script", "write scripts/NAME/run.sh");
  note_lost_schemas(directory, scripts, schemas, found.notes);
  check_syntax(name, directory.string(), scripts, found.errors, found.notes);
}

// One BAND.md that governs several scripts is told once.
void drop_repetitions(std::vector<Diagnostic>& errors) {
  std::vector<std::string> seen;
  std::erase_if(errors, [&](const Diagnostic& diagnostic) {
    const std::string text = diagnostic.text();
    if (std::find(seen.begin(), seen.end(), text) != seen.end()) return true;
    seen.push_back(text);
    return false;
  });
}

Json to_json(const Diagnostic& d) {
  return {{"file", d.file}, {"line", d.line}, {"column", d.column}, {"message", d.message}, {"hint", d.hint}};
}

}  // namespace

int validate_command(const CommandLine& line, Terminal& terminal) {
  if (line.arguments.size() != 1)
    return fail(line, terminal,
                {.code = Code::Usage, .doing = "`band validate` takes one directory", .hint = "band validate DIR"});
  std::error_code error;
  const fs::path directory = fs::canonical(line.arguments[0], error);
  if (error || !fs::is_directory(directory, error))
    return fail(line, terminal,
                {Code::Usage, "", line.arguments[0] + " is no directory", 0,
                 "name a skill's directory, or one that holds skills", ""});
  Findings found;
  if (is_skill_directory(directory)) {
    validate_skill(directory, found);
  } else {
    std::vector<fs::path> below;
    for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error))
      if (is_skill_directory(it->path())) below.push_back(it->path());
    std::sort(below.begin(), below.end());
    for (const fs::path& skill : below) validate_skill(skill, found);
    if (below.empty())
      return fail(line, terminal,
                  {Code::SkillInvalid, "", line.arguments[0] + " holds no skill", 0,
                   "a skill has a SKILL.md, a BAND.md and scripts/NAME/run.sh", ""});
  }
  drop_repetitions(found.errors);
  drop_repetitions(found.notes);
  if (line.json) {
    Json report = {{"valid", found.errors.empty()},
                   {"skills", found.skills},
                   {"scripts", found.scripts},
                   {"errors", Json::array()},
                   {"notes", Json::array()}};
    for (const Diagnostic& diagnostic : found.errors) report["errors"].push_back(to_json(diagnostic));
    for (const Diagnostic& diagnostic : found.notes) report["notes"].push_back(to_json(diagnostic));
    if (const int code = print_json(terminal, report); code != 0) return code;
  }
  for (const Diagnostic& note : found.notes) terminal.err(printable("note: " + note.text()) + "\n");
  if (!found.errors.empty()) {
    for (const Diagnostic& diagnostic : found.errors) terminal.err(printable(diagnostic.text()) + "\n");
    terminal.err(std::to_string(found.errors.size()) + (found.errors.size() == 1 ? " error\n" : " errors\n"));
    return exit_code(Code::SkillInvalid);
  }
  if (line.json) return 0;
  std::string text = "ok:";
  for (const std::string& script : found.scripts) text += " " + script;
  return print(terminal, text + "\n");
}

}  // namespace band::client
