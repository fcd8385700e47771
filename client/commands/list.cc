#include <algorithm>

#include "client/commands/commands.h"
#include "client/skills/described.h"
#include "schemas/core/json_text.h"

namespace band::client {
namespace {

constexpr const char* kNoDescription = "no description; `description` in its BAND.md is shown here";

std::string one_line(const std::string& text) { return text.substr(0, std::min(text.find('\n'), text.size())); }

struct ScriptRow {
  std::string name, description;
  std::optional<Script> script;  // absent: it is broken
};

struct SkillRows {
  SkillPlace place;
  std::string description;
  std::vector<ScriptRow> scripts;
};

// A broken skill is listed too, with what `band validate` is for. A script without a description of its own has the
// skill's.
SkillRows rows_of(const SkillPlace& place) {
  SkillRows rows{place, skill_description(place.directory), {}};
  for (const std::string& name : script_names(place.directory)) {
    std::vector<Diagnostic> errors;
    const std::string whole = std::string(place.name).append("/").append(name);
    auto script = load_script({whole, place.name, name, place.directory}, errors);
    std::string own = script ? one_line(script->description()) : "";
    if (own.empty()) own = rows.description;
    if (own.empty()) own = kNoDescription;
    rows.scripts.push_back({whole, std::move(own), std::move(script)});
  }
  return rows;
}

// `whole`: with parameters.
std::string to_json(const SkillRows& rows, bool whole) {
  std::string scripts;
  for (const ScriptRow& row : rows.scripts) {
    std::vector<std::pair<std::string_view, std::string>> members{{"script", json_string(row.name)},
                                                                  {"description", json_string(row.description)},
                                                                  {"valid", row.script ? "true" : "false"}};
    if (whole && row.script) members.emplace_back("parameters", parameters_to_json(*row.script));
    scripts += (scripts.empty() ? "" : ",") + json_object(members);
  }
  return json_object({{"skill", json_string(rows.place.name)},
                      {"directory", json_string(rows.place.directory)},
                      {"description", json_string(rows.description)},
                      {"scripts", "[" + scripts + "]"}});
}

std::string to_text(const SkillRows& rows, bool whole, const Terminal& terminal) {
  std::string text = terminal.bold(rows.place.name);
  if (!rows.description.empty()) text += "  " + printable_line(rows.description);
  text += "\n";
  for (const ScriptRow& row : rows.scripts) {
    std::string name = "  " + row.name;
    name.resize(std::max<std::size_t>(name.size() + 2, 28), ' ');
    text += name +
            (row.script ? printable_line(row.description)
                        : "(broken: band validate " + printable_line(rows.place.directory) + ")") +
            "\n";
    if (whole && row.script) text += parameters_in_short(*row.script, "      ");
  }
  return text;
}

}  // namespace

int list_command(const CommandLine& line, Terminal& terminal) {
  if (line.arguments.size() > 1)
    return fail(line, terminal,
                {.code = Code::Usage, .doing = "`band list` takes one skill", .hint = "band list [SKILL]"});
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
        "no skills found; put some into ~/.band/skills, or say where they are with --skills DIR or BAND_SKILLS");
  std::string text, json;
  for (const SkillPlace& place : places) {
    const SkillRows rows = rows_of(place);
    if (line.json)
      json += (json.empty() ? "" : ",") + to_json(rows, one);
    else
      text += to_text(rows, one, terminal);
  }
  return line.json ? print_json_text(terminal, json_object({{"skills", "[" + json + "]"}})) : print(terminal, text);
}

}  // namespace band::client
