#include "client/skills/skills.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "client/host/environment.h"
#include "client/host/tree.h"
#include "client/terminal/nearest.h"

namespace band::client {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSkillFileBytes = 1u << 20;

bool is_directory(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::vector<std::string> directory_names(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error))
    if (std::error_code ignored; it->is_directory(ignored)) names.push_back(it->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

bool is_part(const std::string& name) { return is_script_name(name + "/x"); }

std::string comma_separated(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < 12; ++i) text += (i > 0 ? ", " : "") + names[i];
  return text + (names.size() > 12 ? ", ..." : "");
}

// Returns full names for a nearly correct skill, or for a script's name alone.
std::optional<std::string> nearest_scripts(const std::vector<SkillPlace>& places, const std::string& skill,
                                           const std::string& script) {
  std::vector<std::string> close;
  for (const SkillPlace& place : places) {
    const std::vector<std::string> names = script_names(place.directory);
    const std::string& wanted = script.empty() ? skill : script;
    const bool near = script.empty() || !nearest(skill, {place.name}).empty();
    if (near && std::find(names.begin(), names.end(), wanted) != names.end())
      close.push_back(place.name + "/" + wanted);
  }
  if (close.empty()) return std::nullopt;
  return "did you mean `" + comma_separated(close) + "`?";
}

// Returns "" if no root contains it.
std::string directory_of(const std::vector<std::string>& roots, const std::string& skill) {
  for (const std::string& root : roots)
    if (is_part(skill) && is_skill(join_path(root, skill))) return join_path(root, skill);
  return "";
}

Error unknown_skill(const std::vector<std::string>& roots, const std::string& skill, const std::string& script) {
  std::vector<std::string> names;
  for (const SkillPlace& place : find_skills(roots)) names.push_back(place.name);
  std::string otherwise =
      "band looks for skills in --skills DIR, in $BAND_SKILLS, in ~/.band/skills, and where band is installed; `band "
      "list` shows the available ones";
  if (roots.empty() || names.empty())
    otherwise = "put skills into ~/.band/skills, or name their directory with --skills DIR or BAND_SKILLS";
  std::string where = roots.empty() ? "" : " in " + comma_separated(roots);
  return Error{
      .code = Code::Usage,
      .doing = "there is no skill `" + skill + "`" + where,
      .hint = nearest_scripts(find_skills(roots), skill, script).value_or(did_you_mean(skill, names, "", otherwise))};
}

// The entries of $BAND_SKILLS, as written.
std::vector<std::string> listed_roots() {
  const std::string listed = environment("BAND_SKILLS").value_or("");
  std::vector<std::string> roots;
  for (std::size_t start = 0; start < listed.size();) {
    const std::size_t end = std::min(listed.find(':', start), listed.size());
    if (end > start) roots.push_back(listed.substr(start, end - start));
    start = end + 1;
  }
  return roots;
}

// Returns why a directory contains no skills; "" if it contains some.
std::string why_lost(const std::string& root) {
  std::error_code error;
  const fs::file_status status = fs::status(root, error);
  if (status.type() == fs::file_type::not_found) return "does not exist";
  if (error) return "cannot be examined: " + error.message();
  if (!fs::is_directory(status)) return "is not a directory";
  const fs::directory_iterator listed(root, error);
  if (error) return "cannot be listed: " + error.message();
  if (!find_skills({root}).empty()) return "";
  if (is_skill(root)) return "is a skill itself: name its parent directory";
  return "contains no skill";
}

}  // namespace

bool is_skill(const std::string& directory) {
  return exists(directory + "/SKILL.md") || exists(directory + "/BAND.md") || is_directory(directory + "/scripts");
}

std::vector<std::string> lost_skill_roots() {
  std::vector<std::string> lost;
  for (const std::string& root : listed_roots())
    if (const std::string why = why_lost(root); !why.empty())
      lost.push_back(std::string("BAND_SKILLS: ").append(root).append(" ").append(why));
  return lost;
}

Result<std::vector<std::string>> skill_roots(const std::vector<std::string>& given) {
  std::vector<std::string> roots;
  for (const std::string& root : given) {
    if (!is_directory(root))
      return Error{.code = Code::Usage,
                   .doing = "--skills " + root + " is not a directory",
                   .hint = "name a directory that contains skills"};
    roots.push_back(root);
  }
  for (const std::string& root : listed_roots()) {
    if (root[0] != '/')
      return Error{.code = Code::Usage,
                   .doing = "BAND_SKILLS has the relative path " + root,
                   .hint = "write absolute paths: the current directory must not decide which skills run"};
    roots.push_back(root);
  }
  std::erase_if(roots, [](const std::string& root) { return !is_directory(root); });
  for (std::string& root : installed_roots()) roots.push_back(std::move(root));
  return roots;
}

std::vector<std::string> installed_roots() {
  std::vector<std::string> roots;
  if (const std::string home = home_directory(); !home.empty()) roots.push_back(home + "/.band/skills");
  roots.push_back(shipped_root());
  std::erase_if(roots, [](const std::string& root) { return !is_directory(root); });
  return roots;
}

std::vector<SkillPlace> find_skills(const std::vector<std::string>& roots) {
  std::vector<SkillPlace> places;
  std::set<std::string> known;
  for (const std::string& root : roots)
    for (const std::string& name : directory_names(root))
      if (is_part(name) && is_skill(join_path(root, name)) && known.insert(name).second)
        places.push_back({name, join_path(root, name)});
  std::sort(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return places;
}

std::vector<std::string> script_names(const std::string& skill_directory) {
  const std::string scripts = skill_directory + "/scripts";
  std::vector<std::string> names;
  for (const std::string& name : directory_names(scripts))
    if (is_part(name) && exists(join_path(join_path(scripts, name), "run.sh"))) names.push_back(name);
  return names;
}

std::string skill_description(const std::string& skill_directory) {
  const auto text = read_file(skill_directory + "/SKILL.md", kMaxSkillFileBytes, Code::SkillInvalid);
  if (!text.ok() || !text->starts_with("---")) return "";
  bool folded = false;
  std::size_t start = std::min(text->find('\n'), text->size());
  while (start < text->size()) {
    const std::size_t end = std::min(text->find('\n', start + 1), text->size());
    std::string line = text->substr(start + 1, end - start - 1);
    start = end;
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line == "---") return "";
    if (folded && !line.empty()) return line.substr(std::min(line.find_first_not_of(' '), line.size()));
    if (!line.starts_with("description:")) continue;
    std::string value = line.substr(12);
    value.erase(0, std::min(value.find_first_not_of(' '), value.size()));
    folded = value.empty() || value[0] == '>' || value[0] == '|';
    if (folded) continue;
    if (value.size() >= 2 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0])
      value = value.substr(1, value.size() - 2);
    return value;
  }
  return "";
}

Result<SkillPlace> find_skill(const std::vector<std::string>& roots, const std::string& name) {
  if (const std::string directory = directory_of(roots, name); !directory.empty()) return SkillPlace{name, directory};
  return unknown_skill(roots, name, "");
}

ScriptPlace place_of(const SkillPlace& skill, const std::string& script) {
  return {std::string(skill.name).append("/").append(script), skill.name, script, skill.directory};
}

Result<ScriptPlace> find_script(const std::vector<std::string>& roots, const std::string& name) {
  const std::size_t slash = name.find('/');
  const std::string skill = name.substr(0, slash);
  const std::string directory = directory_of(roots, skill);
  if (slash == std::string::npos) {
    if (directory.empty()) return unknown_skill(roots, skill, "");
    const std::vector<std::string> scripts = script_names(directory);
    return Error{.code = Code::Usage,
                 .doing = "`" + name + "` names a skill, not a script",
                 .hint = scripts.empty() ? "this skill has no script that band can run; `band new script " + skill +
                                               "/NAME` adds one"
                                         : "write skill/script; the skill has " + comma_separated(scripts)};
  }
  const std::string script = name.substr(slash + 1);
  if (!is_script_name(name))
    return Error{.code = Code::Usage,
                 .doing = "`" + name + "` is not of the form skill/script",
                 .hint = "for example: band run hello/greet"};
  if (directory.empty()) return unknown_skill(roots, skill, script);
  const std::vector<std::string> names = script_names(directory);
  if (std::find(names.begin(), names.end(), script) != names.end()) return place_of({skill, directory}, script);
  if (is_directory(directory + "/scripts/" + script))
    return Error{.code = Code::SkillInvalid,
                 .doing = directory + "/scripts/" + script + " has no run.sh",
                 .hint = "write one: bash runs it"};
  return Error{
      .code = Code::Usage,
      .doing = "the skill `" + skill + "` in " + directory + " has no script `" + script + "`",
      .hint = did_you_mean(script, names, skill + "/",
                           names.empty() ? "the skill has no scripts" : "the skill has " + comma_separated(names))};
}

}  // namespace band::client
