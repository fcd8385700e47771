#include "client/checks/shell_files.h"

#include <algorithm>

#include "client/answers/remedy.h"
#include "schemas/core/json_text.h"
#include "schemas/pattern/pattern.h"
#include "schemas/wire/wire.h"

namespace band::client {
namespace {

ShellFile read_file(std::string shown, std::string_view text) { return {std::move(shown), text, read_shell(text)}; }

}  // namespace

ShellSkill read_shell_files(const std::vector<LoadedScript>& scripts, bool complete) {
  ShellSkill skill;
  skill.complete = complete;
  for (const LoadedScript& loaded : scripts) {
    const Script& script = loaded.script;
    const std::string folder = script.place.skill + "/scripts/";
    if (&loaded == &scripts.front())
      for (const ShippedFile& file : script.lib)
        if (file.path.ends_with(".sh")) skill.lib.push_back(read_file(folder + "_lib/" + file.path, file.content));
    if (!loaded.has_source) continue;
    ShellScript read{&script, {}, loaded.has_meaning()};
    read.files.push_back(read_file(folder + script.place.script + "/run.sh", script.source));
    for (const ShippedFile& file : script.skill_files)
      if (file.path.starts_with("scripts/") && file.path.ends_with(".sh"))
        read.files.push_back(read_file(script.place.skill + "/" + file.path, file.content));
    skill.scripts.push_back(std::move(read));
  }
  return skill;
}

std::set<std::string> ShellScope::assigned() const {
  std::set<std::string> names;
  for (const ShellFile* each : files) names.insert(each->reading.assigned.begin(), each->reading.assigned.end());
  return names;
}

std::set<std::string> ShellScope::functions() const {
  std::set<std::string> names;
  for (const ShellFile* each : files) names.insert(each->reading.functions.begin(), each->reading.functions.end());
  return names;
}

bool ShellScope::mentions(std::string_view text) const {
  for (const ShellFile* each : files)
    if (each->text.find(text) != std::string_view::npos) return true;
  return false;
}

std::string ShellScope::band_file() const { return scripts.empty() ? "BAND.md" : scripts.front()->band.band.file; }

void for_each_scope(const ShellSkill& skill, const std::function<void(const ShellScope&)>& visit) {
  ShellScope shared;
  shared.shared = true;
  for (const ShellFile& file : skill.lib) shared.files.push_back(&file);
  const std::vector<const ShellFile*> lib = shared.files;
  for (const ShellScript& script : skill.scripts) {
    if (!script.has_meaning) continue;
    ShellScope own;
    own.scripts.push_back(script.script);
    for (const ShellFile& file : script.files) own.files.push_back(&file);
    shared.files.insert(shared.files.end(), own.files.begin(), own.files.end());
    shared.scripts.push_back(script.script);
    own.files.insert(own.files.end(), lib.begin(), lib.end());
    for (const ShellFile& file : script.files) {
      own.file = &file;
      visit(own);
    }
  }
  if (!skill.complete) return;
  for (const ShellFile* file : lib) {
    shared.file = file;
    visit(shared);
  }
}

namespace {

// Returns whether a rule of the layer matches everything that the pattern matches.
bool covers(const RuleSet& layer, const std::string& domain, const std::string& pattern) {
  return std::any_of(layer.begin(), layer.end(), [&](const Rule& rule) {
    if (domain == "cli") {
      const auto outer = CliPattern::parse(rule.pattern), inner = CliPattern::parse(pattern);
      return outer.ok() && inner.ok() && outer->covers(*inner);
    }
    const auto outer = PathPattern::parse(rule.pattern), inner = PathPattern::parse(pattern);
    return outer.ok() && inner.ok() && outer->covers(*inner);
  });
}

// Returns the files that need the rule so that the script's band, with all bands that it extends, allows it.
std::vector<std::string> files_without_rule(const Script& script, const std::string& domain,
                                            const std::string& pattern) {
  const Rules& rules = script.band.rules;
  const Domain& all = domain == "cli" ? rules.cli : domain == "read" ? rules.read : rules.write;
  std::vector<std::size_t> layers;
  for (std::size_t i = 0; i < all.opened.size(); ++i)
    if (!covers(all.opened[i], domain, pattern)) layers.push_back(i);
  return files_to_write(script.band.band, all, layers);
}

}  // namespace

std::string rule_to_write(const ShellScope& scope, const std::string& domain, const std::string& pattern) {
  std::set<std::string> files;
  for (const Script* script : scope.scripts)
    for (const std::string& file : files_without_rule(*script, domain, pattern)) files.insert(file);
  files.erase(scope.band_file());
  std::string others;
  for (const std::string& file : files) others += (others.empty() ? ", and in " : ", ") + file;
  return "write allow: {" + domain + ": [" + json_string(pattern) + "]} in " + scope.band_file() + others +
         (others.empty() ? "" : ", which the band extends");
}

}  // namespace band::client
