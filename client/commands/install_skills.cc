// `band install-skills`: links skills into the directories where agents look for skills: those that ship with this
// program, or the named ones, which can also be in ~/.band/skills. --remove removes exactly such links. An agent reads
// SKILL.md there and calls `band`, which does not use the links.
#include <algorithm>
#include <filesystem>

#include "client/commands/commands.h"
#include "client/host/environment.h"
#include "client/host/invoker.h"
#include "client/host/tree.h"
#include "schemas/core/json_text.h"

namespace band::client {
namespace {

namespace fs = std::filesystem;

using Names = std::vector<std::string>;

// The result for one directory.
struct Place {
  std::string directory;
  Names linked, unchanged, removed;
  std::vector<std::pair<std::string, std::string>> kept;  // path, and the kind of file that exists there
};

Error failed(const std::string& doing, const std::error_code& error) {
  return Error{.code = Code::Usage,
               .doing = "cannot " + doing,
               .err = error.value(),
               .hint = "check the permissions, or name another --to"};
}

// Returns the directory of the skills that ship. A link to it also works for a newer version that is installed in the
// same place.
Result<std::string> shipped_skills() {
  const std::string directory = shipped_root();
  if (std::error_code ignored; !directory.empty() && fs::is_directory(directory, ignored)) return directory;
  return Error{.code = Code::Usage,
               .doing = "there are no skills next to this program" + (directory.empty() ? "" : ", in " + directory),
               .hint = "install band completely: `cmake --install build --prefix DIR`"};
}

bool has_text_for_agents(const SkillPlace& place) {
  std::error_code ignored;
  return fs::is_regular_file(place.directory + "/SKILL.md", ignored);
}

// Returns the named skills, which `band call` finds. Without names, returns the skills that ship.
Result<std::vector<SkillPlace>> skills_to_link(const CommandLine& line, const std::string& shipped) {
  std::vector<SkillPlace> skills;
  if (line.arguments.empty()) {
    skills = find_skills({shipped});
    std::erase_if(skills, [](const SkillPlace& place) { return !has_text_for_agents(place); });
    return skills;
  }
  for (const std::string& name : line.arguments) {
    auto place = find_skill(installed_roots(), name);
    if (!place.ok()) {
      place.error().hint += "; agents can call only skills in ~/.band/skills and those that ship with band";
      return place.error();
    }
    if (!has_text_for_agents(*place))
      return Error{.code = Code::SkillInvalid,
                   .doing = place->directory + " has no SKILL.md, which agents read",
                   .hint = "write it: name, description, and how to call the scripts (`band new skill` makes one)"};
    skills.push_back(std::move(place).value());
  }
  return skills;
}

Names names_of(const std::vector<SkillPlace>& skills) {
  Names names;
  for (const SkillPlace& skill : skills) names.push_back(skill.name);
  return names;
}

Result<Names> directories(const CommandLine& line) {
  if (line.to) {
    if (line.to->empty()) return Error{.code = Code::Usage, .doing = "--to is empty", .hint = "write --to DIR"};
    std::error_code error;
    const fs::path directory = fs::absolute(*line.to, error);
    if (error) return failed("find " + *line.to, error);
    return Names{directory.lexically_normal().string()};
  }
  BAND_TRY(const auto invoker, sudo_invoker());
  if (invoker)
    return Error{.code = Code::Usage,
                 .doing = "with sudo the links in " + invoker->home + " would belong to root",
                 .hint = "run it as " + invoker->name + ", without sudo; or name a directory: --to DIR"};
  const std::string home = home_directory();
  if (home.empty()) return Error{.code = Code::Usage, .doing = "there is no home directory", .hint = "set HOME"};
  return Names{home + "/.claude/skills", home + "/.agents/skills"};
}

// Returns true when `path` is the link that this program makes for the skill.
bool is_own(const std::string& path, const std::string& skill) {
  std::error_code error;
  return fs::is_symlink(fs::symlink_status(path, error)) && fs::read_symlink(path, error) == skill && !error;
}

std::string what_is(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (fs::is_symlink(status)) return "a link to " + fs::read_symlink(path, error).string();
  return fs::is_directory(status) ? "a directory" : "a file";
}

Status install(const std::vector<SkillPlace>& skills, Place& place) {
  std::error_code error;
  fs::create_directories(place.directory, error);
  if (error) return failed("create directory " + place.directory, error);
  for (const auto& [name, skill] : skills) {
    const std::string path = join_path(place.directory, name);
    const fs::file_type there = fs::symlink_status(path, error).type();
    if (there == fs::file_type::none) return failed("read the status of " + path, error);
    if (there != fs::file_type::not_found) {
      if (is_own(path, skill))
        place.unchanged.push_back(name);
      else
        place.kept.emplace_back(path, what_is(path));
      continue;
    }
    fs::create_directory_symlink(skill, path, error);
    if (error) return failed(std::string("link ").append(path).append(" to ").append(skill), error);
    place.linked.push_back(name);
  }
  return done();
}

// Removes the links with these names, or all if there are none. Decides by the targets of the links, so that links of
// skills that no longer exist are removed as well.
Status remove(const Names& only, Place& place) {
  const Names roots = installed_roots();
  std::error_code error;
  if (!fs::exists(place.directory, error)) return done();
  Names own;
  for (fs::directory_iterator it(place.directory, error), end; !error && it != end; it.increment(error))
    if (const std::string name = it->path().filename().string();
        (only.empty() || std::find(only.begin(), only.end(), name) != only.end()) &&
        std::any_of(roots.begin(), roots.end(), [&](const std::string& root) {
          return is_own(join_path(place.directory, name), join_path(root, name));
        }))
      own.push_back(name);
  if (error) return failed("list " + place.directory, error);
  std::sort(own.begin(), own.end());
  for (const std::string& name : own) {
    const std::string path = join_path(place.directory, name);
    if (!fs::remove(path, error) && error) return failed("remove " + path, error);
    place.removed.push_back(name);
  }
  return done();
}

std::string rule_of(const std::string& skill) { return "Bash(band call " + skill + "/*)"; }

std::string settings_for(const Names& skills) {
  Names rules;
  std::transform(skills.begin(), skills.end(), std::back_inserter(rules), rule_of);
  return json_object({{"permissions", json_object({{"allow", json_list(rules)}})}});
}

// The same, formatted for reading.
std::string shown_settings_for(const Names& skills) {
  std::string rules;
  for (const std::string& name : skills)
    rules += (rules.empty() ? "\n      " : ",\n      ") + json_string(rule_of(name));
  return "{\n  \"permissions\": {\n    \"allow\": [" + rules + "\n    ]\n  }\n}\n";
}

std::string to_json(const Place& place) {
  std::vector<std::string> kept;
  for (const auto& [path, what] : place.kept)
    kept.push_back(json_object({{"path", json_string(path)}, {"is", json_string(what)}}));
  return json_object({{"directory", json_string(place.directory)},
                      {"linked", json_list(place.linked)},
                      {"unchanged", json_list(place.unchanged)},
                      {"removed", json_list(place.removed)},
                      {"kept", json_array(kept)}});
}

std::string to_json(const std::string& source, const std::vector<Place>& places, const std::string& settings) {
  std::vector<std::string> directories;
  std::transform(places.begin(), places.end(), std::back_inserter(directories),
                 [](const Place& place) { return to_json(place); });
  return json_object(
      {{"source", json_string(source)}, {"directories", json_array(directories)}, {"settings", settings}});
}

std::string sentence(const std::string& begin, const Names& names) {
  if (names.empty()) return "";
  std::string text = begin + ": ";
  for (std::size_t i = 0; i < names.size(); ++i) text += (i > 0 ? ", " : "") + names[i];
  return text + "\n";
}

std::string to_text(const std::vector<Place>& places, const Names& skills, bool removing) {
  std::string text;
  for (const Place& place : places) {
    const std::string where = printable_line(place.directory);
    text += sentence("linked in " + where, place.linked) + sentence("linked already in " + where, place.unchanged) +
            sentence("removed from " + where, place.removed);
  }
  if (removing) return text.empty() ? "no link was removed: there was no link to a skill of this installation\n" : text;
  return text +
         "\nWhile an agent uses one of these skills, the skill's `allowed-tools` allows its `band call` without a "
         "prompt. To\nallow `band call` at any time, write into ~/.claude/settings.json, for the skills that you "
         "want:\n\n" +
         shown_settings_for(skills) + "\nDo not add a `deny` of `Bash`: a deny overrides every allow.\n";
}

}  // namespace

int install_skills_command(const CommandLine& line, Terminal& terminal) {
  const auto source = shipped_skills();
  if (!source.ok()) return fail(line, terminal, source.error());
  const auto where = directories(line);
  if (!where.ok()) return fail(line, terminal, where.error());
  Result<std::vector<SkillPlace>> skills = std::vector<SkillPlace>{};
  if (!line.remove) skills = skills_to_link(line, *source);
  if (!skills.ok()) return fail(line, terminal, skills.error());
  const Names names = names_of(*skills);
  std::vector<Place> places;
  for (const std::string& directory : *where) {
    Place place{directory, {}, {}, {}, {}};
    const Status made = line.remove ? remove(line.arguments, place) : install(*skills, place);
    if (!made.ok()) return fail(line, terminal, made.error());
    places.push_back(std::move(place));
  }
  int code = line.json ? print_json_text(terminal, to_json(*source, places, line.remove ? "null" : settings_for(names)))
                       : print(terminal, to_text(places, names, line.remove));
  for (const Place& place : places)
    for (const auto& [path, what] : place.kept) {
      std::string doing = path;
      doing.append(" is ").append(what).append(" and not a link to a skill of this installation; it was not changed");
      const Error error{.code = Code::WriteConflict,
                        .doing = std::move(doing),
                        .hint = "to link the installed skill here, rename or remove that file, then run this again"};
      terminal.error(error);
      if (code == 0) code = exit_code(error.code);
    }
  return code;
}

}  // namespace band::client
