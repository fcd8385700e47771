#include "client/author/skeleton.h"

#include <sstream>
#include <utility>

#include "client/author/skeleton_text.h"
#include "schemas/wire/wire.h"

namespace band::client {
namespace {

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

NewFile from(const char* name, std::string path, const std::string& skill, const std::string& script) {
  NewFile file{std::move(path), std::string(skeleton_text(name))};
  replace_all(file.content, "@SKILL@", skill);
  replace_all(file.content, "@SCRIPT@", script);
  return file;
}

}  // namespace

std::vector<NewFile> new_script_files(const std::string& skill, const std::string& script) {
  return {from("run.sh", "scripts/" + script + "/run.sh", skill, script),
          from("input.json", "schemas/input/" + script + ".json", skill, script),
          from("output.json", "schemas/output/" + script + ".json", skill, script),
          from("tests.yaml", "tests/" + script + ".yaml", skill, script)};
}

NewFile own_band_file(const std::string& skill, const std::string& script) {
  return from("own-BAND.md", "scripts/" + script + "/BAND.md", skill, script);
}

std::vector<NewFile> new_skill_files(const std::string& skill, const std::string& script) {
  std::vector<NewFile> files = new_script_files(skill, script);
  files.insert(files.begin(), {from("SKILL.md", "SKILL.md", skill, script), from("BAND.md", "BAND.md", skill, script)});
  return files;
}

std::vector<std::string> new_band_comment() {
  std::vector<std::string> rows;
  std::istringstream text{std::string(skeleton_text("BAND.md"))};
  for (std::string row; std::getline(text, row);)
    if (row.starts_with('#')) rows.push_back(row);
  return rows;
}

std::string why_not_a_skill_name(const std::string& name) {
  if (name.empty()) return "it is empty";
  if (name.size() > 64) return "it has more than 64 characters";
  if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos)
    return "it has a character other than a to z, 0 to 9 and -";
  if (name.front() == '-' || name.back() == '-' || name.find("--") != std::string::npos)
    return "it begins or ends with -, or has two adjacent -";
  return "";
}

}  // namespace band::client
