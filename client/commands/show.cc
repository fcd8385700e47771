// `band show`: prints the effective permissions of a script and the line of each. It does not contact a server.
#include <algorithm>

#include "client/commands/commands.h"
#include "client/commands/rules_text.h"
#include "client/skills/described.h"
#include "schemas/core/json_text.h"
#include "schemas/core/lines.h"

namespace band::client {
namespace {

constexpr std::size_t kInShort = 5;  // patterns per domain in the overview of a skill

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

std::string bands_text(const ComposedBand& band) {
  std::string text;
  for (const std::string& file : band.files) {
    const auto named = band.named_by.find(file);
    text += "  " + printable_line(file) +
            (named == band.named_by.end() ? "" : "   (" + printable_line(named->second) + ")") + "\n";
  }
  return text;
}

std::string limits_text(const ComposedBand& band) {
  const EffectiveLimits limits = limits_of(band);
  const auto line = [&](const std::string& name, const std::string& value) {
    const auto origin = band.limit_origins.find(name);
    return "  " + padded(name, 16) + " " + padded(value, 6) + "  (" +
           (origin == band.limit_origins.end() ? "default" : printable_line(origin->second)) + ")\n";
  };
  std::string text;
  for (const LimitKey& key : kLimitKeys) text += line(key.name, limit_in_units(key, limits.*key.effective));
  if (limits.maxCostDollars) text += line("maxCostDollars", std::to_string(*limits.maxCostDollars));
  return text;
}

std::string env_text(const std::vector<EnvRule>& rules) {
  std::string text;
  for (const EnvRule& rule : rules)
    text += "  " + rule.name + (rule.secret ? "  secret" : "  plain") +
            (rule.fallback   ? ", default " + shown_string(*rule.fallback)
             : rule.required ? ", required"
                             : ", may be missing") +
            (rule.description.empty() ? "" : "  " + printable_line(rule.description)) + "   (" +
            printable_line(rule.origin) + ")\n";
  return text.empty() ? "  none\n" : text;
}

std::string files_text(const char* label, const std::vector<ShippedFile>& files) {
  std::string text;
  for (const ShippedFile& file : files)
    text += "  " + std::string(label) + "  " + printable_line(file.path) + "  " +
            human_bytes(static_cast<std::int64_t>(file.content.size())) + "\n";
  return text;
}

std::string schema_text(const std::string& label, const std::string& file, const std::string& none,
                        const std::string& lines) {
  return label + (file.empty() ? ": " + none + "\n" : "   (" + printable_line(file) + ")\n" + lines);
}

std::string configuration_text(const Shown& shown) {
  if (!shown.configuration) return "configuration: " + printable_line(shown.wrong) + "\n";
  const Configuration& configuration = *shown.configuration;
  const std::string json = dump_json(configuration.value);
  if (json == "{}" && configuration.file.empty()) return "";
  return "configuration: " + printable_line(json) +
         (configuration.file.empty() ? "" : "   (with " + printable_line(configuration.file) + ")") + "\n";
}

std::string targets_text(const BandFile& band) {
  std::string text;
  for (const std::string& target : band.targets) text += (text.empty() ? "" : ", ") + printable_line(target);
  return "targets: " + (text.empty() ? "any" : text) + "\n";
}

std::string script_text(const Shown& shown, const Terminal& terminal) {
  const Script& script = shown.script;
  const Rules& rules = script.band.rules;
  std::string text = terminal.bold(script.place.name);
  if (const std::string about = script.description(); !about.empty()) text += "  " + first_paragraph(about);
  text += "\nskill: " + printable_line(script.place.skill_directory) + "\nbands:\n" + bands_text(script.band);
  text += "rules:\n" + domain_text("cli", rules.cli) + domain_text("net", rules.net) + domain_text("read", rules.read) +
          domain_text("write", rules.write);
  text += "limits:\n" + limits_text(script.band) + "variables:\n" + env_text(rules.env);
  text += configuration_text(shown) + targets_text(script.band.band);
  text +=
      schema_text("input", script.input_file, "none, so the script accepts {} only", parameters_in_short(script, "  "));
  text += schema_text("output", script.output_file, "any JSON", output_in_short(script, "  "));
  text += "files that are sent with the script:\n  run.sh  " +
          human_bytes(static_cast<std::int64_t>(script.source.size())) + "\n";
  return text + files_text("_lib  ", script.lib) + files_text("skill ", script.skill_files);
}

Shown shown_of(const Script& script) {
  auto configuration = configuration_of(script);
  if (!configuration.ok()) return {script, std::nullopt, configuration.error().message()};
  return {script, std::move(configuration).value(), ""};
}

int show_script(const CommandLine& line, Terminal& terminal, const std::vector<std::string>& roots) {
  const auto place = find_script(roots, line.arguments.front());
  if (!place.ok()) return fail(line, terminal, place.error());
  std::vector<Diagnostic> errors;
  const auto script = load_script(*place, errors);
  if (!script) return fail(line, terminal, skill_invalid(errors));
  const Shown shown = shown_of(*script);
  return line.json ? print_json_text(terminal, script_to_json(shown)) : print(terminal, script_text(shown, terminal));
}

std::string in_short(const Script& script) {
  const Rules& rules = script.band.rules;
  std::string text;
  for (const auto& [name, domain] : {std::pair{"cli", &rules.cli}, std::pair{"net", &rules.net},
                                     std::pair{"read", &rules.read}, std::pair{"write", &rules.write}})
    if (!domain->opens_nothing()) text += "    " + padded(name, 6) + domain_in_short(*domain, kInShort) + "\n";
  std::string variables;
  for (const EnvRule& rule : rules.env) variables += (variables.empty() ? "" : ", ") + rule.name;
  if (!variables.empty()) text += "    env   " + variables + "\n";
  return text.empty() ? "    allows nothing\n" : text;
}

std::string diagnostics_to_json(const std::vector<Diagnostic>& errors) {
  std::vector<std::string> texts;
  texts.reserve(errors.size());
  for (const Diagnostic& error : errors) texts.push_back(error.text());
  return json_list(texts);
}

int show_skill(const CommandLine& line, Terminal& terminal, const SkillPlace& place) {
  const std::string about = skill_description(place.directory);
  std::string text = terminal.bold(place.name) + (about.empty() ? "" : "  " + printable_line(about)) +
                     "\nskill: " + printable_line(place.directory) + "\n";
  std::string json;
  for (const std::string& name : script_names(place.directory)) {
    const ScriptPlace script_place = place_of(place, name);
    const std::string& whole = script_place.name;
    std::vector<Diagnostic> errors;
    const auto script = load_script(script_place, errors);
    if (!script) {
      text += "  " + whole + "  (broken: band validate " + printable_line(place.directory) + ")\n";
      json +=
          (json.empty() ? "" : ",") +
          json_object({{"script", json_string(whole)}, {"valid", "false"}, {"errors", diagnostics_to_json(errors)}});
      continue;
    }
    const std::string description = script->description();
    const std::string_view own = first_line(description);
    text += "  " + whole + (own.empty() ? "" : "  " + printable_line(own)) + "\n" + in_short(*script);
    json += (json.empty() ? "" : ",") + script_to_json(shown_of(*script));
  }
  if (!line.json) return print(terminal, text);
  return print_json_text(terminal, json_object({{"skill", json_string(place.name)},
                                                {"directory", json_string(place.directory)},
                                                {"description", json_string(about)},
                                                {"scripts", "[" + json + "]"}}));
}

}  // namespace

int show_command(const CommandLine& line, Terminal& terminal) {
  if (line.arguments.size() != 1)
    return fail(line, terminal,
                {.code = Code::Usage,
                 .doing = "`band show` needs one skill or script",
                 .hint = "band show SKILL, or band show SKILL/SCRIPT; `band list` shows all of them"});
  const auto roots = roots_of(line, terminal);
  if (!roots.ok()) return fail(line, terminal, roots.error());
  const std::string& name = line.arguments.front();
  if (name.find('/') != std::string::npos) return show_script(line, terminal, *roots);
  const auto place = find_skill(*roots, name);
  return place.ok() ? show_skill(line, terminal, *place) : fail(line, terminal, place.error());
}

}  // namespace band::client
