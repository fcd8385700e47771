// `band install-skills`: links the skills that ship with this program into the directories where agents look for
// skills;
// --remove removes exactly these links. An agent reads SKILL.md there and calls `band`, which does not use the links.
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

Names names_with_text_for_agents(const std::string& source) {
  Names names;
  for (const SkillPlace& place : find_skills({source}))
    if (std::error_code ignored; fs::is_regular_file(place.directory + "/SKILL.md", ignored))
      names.push_back(place.name);
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

Status install(const std::string& source, const Names& skills, Place& place) {
  std::error_code error;
  fs::create_directories(place.directory, error);
  if (error) return failed("create directory " + place.directory, error);
  for (const std::string& name : skills) {
    const std::string path = join_path(place.directory, name), skill = join_path(source, name);
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

// Decides by the targets of the links, so that links of skills that no longer ship are removed as well.
Status remove(const std::string& source, Place& place) {
  std::error_code error;
  if (!fs::exists(place.directory, error)) return done();
  Names own;
  for (fs::directory_iterator it(place.directory, error), end; !error && it != end; it.increment(error))
    if (const std::string name = it->path().filename().string();
        is_own(join_path(place.directory, name), join_path(source, name)))
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
  const Names skills = names_with_text_for_agents(*source);
  std::vector<Place> places;
  for (const std::string& directory : *where) {
    Place place{directory, {}, {}, {}, {}};
    const Status made = line.remove ? remove(*source, place) : install(*source, skills, place);
    if (!made.ok()) return fail(line, terminal, made.error());
    places.push_back(std::move(place));
  }
  int code = line.json
                 ? print_json_text(terminal, to_json(*source, places, line.remove ? "null" : settings_for(skills)))
                 : print(terminal, to_text(places, skills, line.remove));
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
