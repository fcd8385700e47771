#include <algorithm>

#include "client/commands/commands.h"
#include "client/skills/described.h"
#include "schemas/core/json_text.h"
#include "schemas/core/lines.h"
#include "schemas/wire/wire.h"

namespace band::client {
namespace {

constexpr const char* kNoDescription = "no description: write one as `description` into its BAND.md";

struct ScriptRow {
  std::string name, description;
  bool valid = false;
  std::string parameters;  // as printed; "" when they are not printed
};

struct SkillRows {
  SkillPlace place;
  std::string description;
  std::vector<ScriptRow> scripts;
};

// Lists broken scripts, too, with a reference to `band validate`. A script without a description gets that of the
// skill. Only one script's files are in memory at a time.
SkillRows rows_of(const SkillPlace& place, bool with_parameters, bool json) {
  SkillRows rows{place, skill_description(place.directory), {}};
  for (const std::string& name : script_names(place.directory)) {
    std::vector<Diagnostic> errors;
    const ScriptPlace script_place = place_of(place, name);
    auto script = load_script(script_place, errors);
    std::string own = script ? std::string(first_line(script->description())) : "";
    if (own.empty()) own = rows.description;
    if (own.empty()) own = kNoDescription;
    ScriptRow row{script_place.name, std::move(own), script.has_value(), ""};
    if (script && with_parameters)
      row.parameters = json ? parameters_to_json(*script) : parameters_in_short(*script, "      ");
    rows.scripts.push_back(std::move(row));
  }
  return rows;
}

std::string to_json(const SkillRows& rows) {
  std::string scripts;
  for (const ScriptRow& row : rows.scripts) {
    std::vector<std::pair<std::string_view, std::string>> members{{"script", json_string(row.name)},
                                                                  {"description", json_string(row.description)},
                                                                  {"valid", row.valid ? "true" : "false"}};
    if (!row.parameters.empty()) members.emplace_back("parameters", row.parameters);
    scripts += (scripts.empty() ? "" : ",") + json_object(members);
  }
  return json_object({{"skill", json_string(rows.place.name)},
                      {"directory", json_string(rows.place.directory)},
                      {"description", json_string(rows.description)},
                      {"scripts", "[" + scripts + "]"}});
}

std::string to_text(const SkillRows& rows, const Terminal& terminal) {
  std::string text = terminal.bold(rows.place.name);
  if (!rows.description.empty()) text += "  " + printable_line(rows.description);
  text += "\n";
  for (const ScriptRow& row : rows.scripts) {
    std::string name = "  " + row.name;
    name.resize(std::max<std::size_t>(name.size() + 2, 28), ' ');
    text += name +
            (row.valid ? printable_line(row.description)
                       : "(broken: band validate " + printable_line(rows.place.directory) + ")") +
            "\n" + row.parameters;
  }
  return text;
}

}  // namespace

int list_command(const CommandLine& line, Terminal& terminal) {
  if (line.arguments.size() > 1)
    return fail(line, terminal,
                {.code = Code::Usage, .doing = "`band list` accepts one skill", .hint = "band list [SKILL]"});
  if (!line.arguments.empty() && is_script_name(line.arguments.front()))
    return fail(line, terminal,
                {.code = Code::Usage,
                 .doing = "`band list` needs a skill, and " + line.arguments.front() + " is a script",
                 .hint = "band show " + line.arguments.front()});
  const auto roots = roots_of(line, terminal);
  if (!roots.ok()) return fail(line, terminal, roots.error());
  std::vector<SkillPlace> places;
  const bool one = !line.arguments.empty();
  if (one) {
    const auto place = find_skill(*roots, line.arguments.front());
    if (!place.ok()) return fail(line, terminal, place.error());
    places = {*place};
  } else {
    places = find_skills(*roots);
  }
  if (places.empty() && !line.json)
    terminal.note(
        "no skills found; put skills into ~/.band/skills, or name their directory with --skills DIR or BAND_SKILLS");
  std::string text, json;
  for (const SkillPlace& place : places) {
    const SkillRows rows = rows_of(place, one, line.json);
    if (line.json)
      json += (json.empty() ? "" : ",") + to_json(rows);
    else
      text += to_text(rows, terminal);
  }
  return line.json ? print_json_text(terminal, json_object({{"skills", "[" + json + "]"}})) : print(terminal, text);
}

}  // namespace band::client
