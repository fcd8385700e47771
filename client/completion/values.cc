#include "client/completion/values.h"

#include <algorithm>
#include <filesystem>

#include "client/host/environment.h"
#include "client/skills/schema_view.h"
#include "client/targets/targets.h"
#include "schemas/rules/limits.h"
#include "schemas/rules/placeholders.h"

namespace band::client {
namespace {

using Candidates = std::vector<Candidate>;

// The shell has not yet expanded `~`, because the command line is incomplete.
std::string with_home(const std::string& path) {
  return path.starts_with("~/") ? home_directory() + path.substr(1) : path;
}

bool ends_with_word(const std::string& name, std::string_view word) {
  return name == word || name.ends_with("-" + std::string(word));
}

// Returns whether a parameter names a file of the workspace: by a `{name}` in the band, or by its name.
bool is_path(const Script& script, const Parameter& parameter) {
  if (!parameter.takes("string") && !parameter.takes("array")) return false;
  for (const Rule& rule : placeholders(script.band.rules))
    if (placeholder_of(rule.pattern) == parameter.name) return true;
  const std::string name = kebab_case(parameter.name);
  for (const std::string_view word : {"path", "paths", "file", "files", "directory", "dir"})
    if (ends_with_word(name, word)) return true;
  return false;
}

std::vector<ScriptParameter> parameters_in(const Script& script, const VerbInfo* verb) {
  std::vector<ScriptParameter> found;
  if (!script.input) return found;
  for (const Parameter& parameter : parameters_of(script.input->bundled())) {
    const std::string flag = kebab_case(parameter.name);
    if (flag.empty() || flag.find('=') != std::string::npos || find_flag(verb, flag) != nullptr) continue;
    const bool is_boolean = parameter.takes("boolean");
    found.push_back({.parameter = parameter,
                     .flag = flag,
                     .is_path = is_path(script, parameter),
                     .can_be_bare = is_boolean,
                     .can_be_negated = is_boolean && parameter.types.size() == 1,
                     .repeats = parameter.takes("array")});
  }
  return found;
}

Candidates targets(std::vector<std::string> names) {
  Candidates found;
  for (std::string& name : targets_set_up())
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  for (const std::string& name : names) found.push_back({name, ""});
  return found;
}

Candidates topics() {
  Candidates found;
  for (const VerbInfo& verb : verbs())
    if (verb.group != VerbGroup::Hidden) found.push_back({std::string(verb.name), std::string(verb.about)});
  found.push_back({"exit-codes", "what the exit codes mean"});
  return found;
}

Candidates limits() {
  Candidates found;
  for (const LimitKey& key : kLimitKeys) found.push_back({std::string(key.name) + "=", ""});
  found.push_back({"maxCostDollars=", ""});
  return found;
}

Candidates input(const Place& place) {
  Candidates found{{"-", "standard input"}};
  if (place.verb_name() != "call") found.push_back({"@", "a file"});
  return found;
}

}  // namespace

// As roots_of() (client/commands), but names that are not directories are skipped without a warning.
std::vector<std::string> Values::roots() const {
  if (place_.verb_name() == "call") return installed_roots();
  std::vector<std::string> given;
  for (const std::string& directory : place_.skills)
    if (std::error_code ignored; std::filesystem::is_directory(with_home(directory), ignored))
      given.push_back(with_home(directory));
  auto found = skill_roots(given);
  return found.ok() ? std::move(found).value() : std::vector<std::string>();
}

// `of_scripts`: the names end with a slash, after which the script's name follows.
Candidates Values::skills(bool of_scripts) const {
  Candidates found;
  for (const SkillPlace& skill : find_skills(roots()))
    found.push_back({skill.name + (of_scripts ? "/" : ""), described_ ? skill_description(skill.directory) : ""});
  return found;
}

void Values::add_scripts(const SkillPlace& skill, Candidates& found) const {
  for (const std::string& name : script_names(skill.directory)) {
    const ScriptPlace place = place_of(skill, name);
    std::string about;
    std::vector<Diagnostic> broken;
    if (described_)
      if (const auto script = load_script(place, broken)) about = script->description();
    found.push_back({place.name, about});
  }
}

// Returns the scripts of the skill before the slash, or of the only skill whose name begins with `typed`. If there is
// no such skill, returns the skills.
Candidates Values::scripts(const std::string& typed) const {
  const std::size_t slash = typed.find('/');
  std::vector<SkillPlace> places = find_skills(roots());
  std::erase_if(places, [&](const SkillPlace& place) {
    return slash == std::string::npos ? !place.name.starts_with(typed) : place.name != typed.substr(0, slash);
  });
  Candidates found;
  if (places.size() == 1) add_scripts(places.front(), found);
  return places.size() == 1 ? found : skills(true);
}

Candidates Values::of(WordKind kind, const std::string& typed) const {
  Candidates found;
  switch (kind) {
    case WordKind::Script:
      return scripts(typed);
    case WordKind::SkillOrScript:
      if (typed.find('/') != std::string::npos) return scripts(typed);
      found = skills(false);
      std::erase_if(found, [&](const Candidate& one) { return !one.word.starts_with(typed); });
      if (found.size() == 1)
        for (Candidate& script : scripts(typed)) found.push_back(std::move(script));
      return found;
    case WordKind::Skill:
    case WordKind::SkillOrDirectory:
      return skills(false);
    case WordKind::NewScript:
      found = skills(true);
      for (const SkillPlace& shipped : find_skills({shipped_root()}))
        std::erase_if(found, [&](const Candidate& one) { return one.word == shipped.name + "/"; });
      return found;
    case WordKind::Target:
      return targets({std::string(kLima), std::string(kLocal)});
    case WordKind::SetUp:
      return targets({});
    case WordKind::Topic:
      return topics();
    case WordKind::Shell:
      return {{"bash", ""}, {"zsh", ""}, {"fish", ""}};
    case WordKind::Limit:
      return limits();
    case WordKind::Input:
      return input(place_);
    case WordKind::Variable:
      for (const std::string& name : environment_names()) found.push_back({name, ""});
      return found;
    case WordKind::Free:
    case WordKind::Directory:
    case WordKind::File:
    case WordKind::Path:
    case WordKind::Command:
    case WordKind::Itself:
      break;
  }
  return found;
}

const std::vector<ScriptParameter>& Values::parameters() {
  if (parameters_) return *parameters_;
  parameters_.emplace();
  if (!takes_script(place_.verb_name()) || place_.arguments.empty()) return *parameters_;
  const auto place = find_script(roots(), place_.arguments.front());
  if (!place.ok()) return *parameters_;
  std::vector<Diagnostic> broken;
  script_ = load_script(*place, broken);
  if (script_) parameters_ = parameters_in(*script_, place_.verb);
  return *parameters_;
}

// Accepts the name in the schema, too: `--dryRun` is `--dry-run`.
const ScriptParameter* Values::parameter(std::string_view flag) {
  if (flag.empty()) return nullptr;
  for (const ScriptParameter& parameter : parameters())
    if (parameter.flag == kebab_case(flag)) return &parameter;
  return nullptr;
}

std::vector<std::string> Values::choices(const ScriptParameter& parameter) const {
  return choices_of(script_->input->bundled(), parameter.parameter);
}

}  // namespace band::client
