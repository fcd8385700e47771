#include "client/checks/variables.h"

#include <algorithm>
#include <map>

#include "client/shell/builtins.h"
#include "client/shell/variables.h"
#include "schemas/commands/plan.h"

namespace band::client {
namespace {

// Limits: the text may be untrusted, and each of these searches the whole text or all names.
constexpr std::size_t kMaxSearches = 200, kMaxNotes = 50, kMaxNamesForNearest = 500;

template <std::size_t N>
bool is_one_of(std::string_view word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// Returns whether the script uses `eval`, or declares a variable whose name is not literal.
bool sets_any_name(const ShellReading& reading) {
  for (const ShellCommand& command : reading.commands) {
    const std::vector<ShellWord> words = without_prefixes(command.words);
    const std::string& name = words.front().text;
    if (name == "eval") return true;
    constexpr std::string_view kGiving[] = {"declare", "typeset", "local",     "export", "readonly",
                                            "read",    "mapfile", "readarray", "printf"};
    if (!is_one_of(name, kGiving)) continue;
    for (std::size_t i = 1; i < words.size(); ++i)
      if (words[i].text.starts_with('$') && (name != "printf" || words[i - 1].text == "-v")) return true;
  }
  return false;
}

// Returns whether the scope sources a file that is not in it.
bool sources_others(const ShellScope& scope) {
  for (const ShellFile* file : scope.files)
    for (const ShellCommand& command : file->reading.commands) {
      const std::vector<ShellWord> words = without_prefixes(command.words);
      if (words.size() < 2 || (words.front().text != "." && words.front().text != "source")) continue;
      const std::string& text = words[1].text;
      const std::string name = text.substr(text.rfind('/') + 1);
      const bool known = std::any_of(scope.files.begin(), scope.files.end(), [&](const ShellFile* other) {
        return !name.empty() && other->shown.ends_with("/" + name);
      });
      if (!known) return true;
    }
  return false;
}

// Returns whether `NAME=` occurs anywhere, possibly in the text of an eval.
bool is_written_with_value(const ShellScope& scope, const std::string& name) {
  for (const ShellFile* file : scope.files)
    for (std::size_t at = file->text.find(name + "="); at != std::string_view::npos;
         at = file->text.find(name + "=", at + 1))
      if (at == 0 || (std::isalnum(static_cast<unsigned char>(file->text[at - 1])) == 0 && file->text[at - 1] != '_'))
        return true;
  return false;
}

bool is_declared(const ShellScope& scope, const std::string& name) {
  for (const Script* script : scope.scripts)
    for (const EnvRule& rule : script->band.rules.env)
      if (rule.name == name) return true;
  return false;
}

std::string hint_for(const ShellScope& scope, const std::string& name, const std::set<std::string>& assigned) {
  const bool few = assigned.size() <= kMaxNamesForNearest;
  const std::string near = few ? nearest_word(name, {assigned.begin(), assigned.end()}) : "";
  if (!near.empty() && !is_secret_name(name)) return "did you mean `$" + near + "`?";
  const std::string entry = is_secret_name(name) ? "[" + name + "]" : "{" + name + ": {secret: false}}";
  return "write env: " + entry + " in " + scope.band_file();
}

void note_unset(const ShellScope& scope, std::vector<Diagnostic>& notes) {
  if (scope.file->reading.uses.empty() || sources_others(scope)) return;
  const std::set<std::string> assigned = scope.assigned();
  std::set<std::string> known = assigned;
  bool any_name = false;
  for (const ShellFile* file : scope.files) {
    any_name = any_name || sets_any_name(file->reading);
    for (const ShellVariable& use : file->reading.uses)
      if (use.has_default) known.insert(use.name);
  }
  std::size_t searches = 0;
  const std::size_t most = notes.size() + kMaxNotes;
  for (const ShellVariable& use : scope.file->reading.uses) {
    if (is_set_by_shell_or_band(use.name) || !known.insert(use.name).second || is_declared(scope, use.name)) continue;
    if (any_name && (!is_secret_name(use.name) || is_written_with_value(scope, use.name))) {
      if (++searches > kMaxSearches) return;
      continue;
    }
    if (notes.size() >= most) return;
    notes.push_back({scope.file->shown, use.line, use.column,
                     "$" + use.name + " has no value: " +
                         (scope.shared ? "no script sets it, and no band declares it"
                                       : "the script does not set it, and the band does not declare it"),
                     hint_for(scope, use.name, assigned)});
  }
}

// Returns false for programs that read only their own variables (`CURL_HOME`) and those of proxies.
bool reads_variables(const std::string& command) {
  constexpr std::string_view kPlain[] = {"curl", "wget"};
  return !is_one_of(command, kPlain);
}

bool is_used(const Script& script, const std::string& name) {
  const auto has_name = [&](std::string_view text) { return text.find(name) != std::string_view::npos; };
  const auto file_has = [&](const ShippedFile& file) { return has_name(file.content); };
  if (has_name(script.source)) return true;
  if (std::any_of(script.lib.begin(), script.lib.end(), file_has)) return true;
  if (std::any_of(script.skill_files.begin(), script.skill_files.end(), file_has)) return true;
  if (name.ends_with("_proxy") || name.ends_with("_PROXY")) return true;
  const auto plan = plan_commands(script.band.rules.cli);
  if (!plan.ok()) return true;
  return std::any_of(plan->declared.begin(), plan->declared.end(),
                     [](const DeclaredCommand& command) { return reads_variables(command.name); });
}

}  // namespace

bool is_secret_name(std::string_view name) {
  std::string upper;
  for (const char c : name) upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  for (const std::string_view part : {"TOKEN", "KEY", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"})
    if (upper.find(part) != std::string::npos && upper == name) return true;
  return false;
}

void note_unset_variables(const ShellSkill& skill, std::vector<Diagnostic>& notes) {
  for_each_scope(skill, [&](const ShellScope& scope) { note_unset(scope, notes); });
}

void EnvUses::add(const Script& script) {
  for (const EnvRule& rule : script.band.rules.env) {
    bool& any = used_[{rule.origin, rule.name}];
    any = any || is_used(script, rule.name);
  }
}

void EnvUses::note_unused(std::vector<Diagnostic>& notes) const {
  for (const auto& [rule, any] : used_)
    if (!any)
      notes.push_back(at_origin(rule.first, "no script uses the variable " + rule.second, "remove it from `env`"));
}

}  // namespace band::client
