#include "client/commands/commands.h"
#include "schemas/core/json.h"

namespace band::client {
namespace {

std::string one_line(const std::string& text) { return text.substr(0, std::min(text.find('\n'), text.size())); }

// A broken skill is listed too, with what `band validate` is for. A script without a description of its own has the
// skill's.
Json describe(const SkillPlace& place) {
  const std::string about = skill_description(place.directory);
  Json skill = {
      {"skill", place.name}, {"directory", place.directory}, {"description", about}, {"scripts", Json::array()}};
  for (const std::string& name : script_names(place.directory)) {
    std::vector<Diagnostic> errors;
    const auto script = load_script({place.name + "/" + name, place.name, name, place.directory}, errors);
    std::string own = script ? one_line(script->description()) : "";
    if (own.empty()) own = about;
    Json row = {{"script", place.name + "/" + name},
                {"description", own.empty() ? "no description; `description` in its BAND.md is shown here" : own},
                {"valid", script.has_value()}};
    skill["scripts"].push_back(std::move(row));
  }
  return skill;
}

}  // namespace

int list_command(const CommandLine& line, Terminal& terminal) {
  const auto roots = roots_of(line, terminal);
  if (!roots.ok()) return fail(line, terminal, roots.error());
  Json skills = Json::array();
  for (const SkillPlace& place : find_skills(*roots)) skills.push_back(describe(place));
  if (line.json) return print_json(terminal, {{"skills", skills}});
  if (skills.empty())
    terminal.note(
        "no skills found; put some into ~/.band/skills, or say where they are with --skills DIR or BAND_SKILLS");
  std::string text;
  for (const Json& skill : skills) {
    text += terminal.bold(skill["skill"].get<std::string>());
    if (const auto about = skill["description"].get<std::string>(); !about.empty())
      text += "  " + printable_line(about);
    text += "\n";
    for (const Json& script : skill["scripts"]) {
      std::string name = "  " + script["script"].get<std::string>();
      name.resize(std::max<std::size_t>(name.size() + 2, 28), ' ');
      const bool valid = script["valid"].get<bool>();
      text += name +
              (valid ? printable_line(script["description"].get<std::string>())
                     : "(broken: band validate " + printable_line(skill["directory"].get<std::string>()) + ")") +
              "\n";
    }
  }
  return print(terminal, text);
}

}  // namespace band::client
