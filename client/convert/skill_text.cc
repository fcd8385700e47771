#include "client/convert/skill_text.h"

#include <algorithm>
#include <cctype>

namespace band::client {
namespace {

constexpr std::size_t kMostReferences = 200;
constexpr std::string_view kScripts = "scripts/";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

std::string without_return(std::string line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
  return line;
}

// The line of the frontmatter's end, or 0 when there is none.
std::size_t frontmatter_end(const std::vector<std::string>& lines) {
  if (lines.empty() || without_return(lines[0]) != "---") return 0;
  for (std::size_t i = 1; i < lines.size(); ++i)
    if (without_return(lines[i]) == "---") return i;
  return 0;
}

std::size_t find_key(const std::vector<std::string>& lines, std::size_t end, const std::string& key) {
  for (std::size_t i = 1; i < end; ++i)
    if (lines[i].starts_with(key + ":")) return i;
  return 0;
}

std::string value_of(const std::string& line) {
  std::string value = without_return(line.substr(line.find(':') + 1));
  value.erase(0, std::min(value.find_first_not_of(' '), value.size()));
  if (value.size() >= 2 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0])
    value = value.substr(1, value.size() - 2);
  return value;
}

void mend_frontmatter(std::vector<std::string>& lines, const std::string& file, const std::string& skill,
                      std::vector<Diagnostic>& notes) {
  const std::string tools = "Bash(band call " + skill + "/*)";
  std::size_t end = frontmatter_end(lines);
  if (end == 0) {
    const std::string about = "description: " + skill + ", as SKILL.md describes it";
    lines.insert(lines.begin(), {"---", "name: " + skill, about, "allowed-tools: " + tools, "---", ""});
    notes.push_back({file, 1, 0, "has no frontmatter; one was written",
                     "write its `description`: an agent decides by it whether it reads on"});
    return;
  }
  if (const std::size_t at = find_key(lines, end, "name"); at == 0) {
    lines.insert(lines.begin() + 1, "name: " + skill);
    ++end;
  } else if (value_of(lines[at]) != skill) {
    notes.push_back({file, static_cast<int>(at) + 1, 1,
                     "the name `" + one_line(value_of(lines[at]), 64) + "` became `" + skill + "`",
                     "a skill has the name of its directory"});
    lines[at] = "name: " + skill;
  }
  if (find_key(lines, end, "description") == 0)
    notes.push_back(
        {file, 1, 0, "the frontmatter has no `description`", "write one: an agent decides by it whether it reads on"});
  if (const std::size_t at = find_key(lines, end, "allowed-tools"); at == 0)
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(end), "allowed-tools: " + tools);
  else if (lines[at].find(tools) == std::string::npos)
    notes.push_back({file, static_cast<int>(at) + 1, 1, "`allowed-tools` has no line for band",
                     "write `allowed-tools: " + tools + "`, and remove what only the scripts needed"});
}

std::string band_section(const std::string& skill, const std::vector<NewScript>& scripts) {
  std::string text =
      "## With band\n\nThe scripts of this skill run in a sandbox. Call them by `band call`, and not by an "
      "interpreter, also where\n"
      "this text names a file of `scripts/`. Paths are relative to the current directory.\n\n";
  for (const NewScript& script : scripts) text += "    " + example_call(script, skill) + "\n";
  text += "\nA script that prints text returns it as `text`. `" + std::string("band call ") + skill + "/" +
          (scripts.empty() ? "NAME" : scripts[0].name) + " --help` shows its parameters.\n\n";
  return text;
}

// The script that a text names which begins with a file of scripts/, and where it goes on with a subcommand, that one.
const NewScript* named_by(std::string_view text, const std::vector<NewScript>& scripts) {
  const NewScript* named = nullptr;
  for (const NewScript& script : scripts) {
    const std::string& file = script.found->file;
    if (!text.starts_with(file)) continue;
    const std::string_view behind = text.substr(file.size());
    const char next = behind.empty() ? ' ' : behind[0];
    if (std::isalnum(static_cast<unsigned char>(next)) != 0 || next == '/' || next == '_') continue;
    if (named == nullptr || behind.starts_with(" " + script.form.command + " ")) named = &script;
  }
  return named;
}

}  // namespace

std::string skill_text(const std::string& text, const std::string& file, const std::string& skill,
                       const std::vector<NewScript>& scripts, std::vector<Diagnostic>& notes) {
  std::vector<std::string> lines = lines_of(text);
  mend_frontmatter(lines, file, skill, notes);
  // In front of the first section: an agent reads it before the text that names files of scripts/.
  std::size_t at = frontmatter_end(lines) + 1;
  bool fenced = false;
  for (; at < lines.size(); ++at) {
    if (lines[at].starts_with("```") || lines[at].starts_with("~~~")) fenced = !fenced;
    if (!fenced && lines[at].starts_with("## ")) break;
  }
  std::string made;
  for (std::size_t i = 0; i < std::min(at, lines.size()); ++i) made += lines[i] + "\n";
  if (!made.ends_with("\n\n")) made += "\n";
  made += band_section(skill, scripts);
  for (std::size_t i = at; i < lines.size(); ++i) made += lines[i] + "\n";
  return made;
}

void note_references(const std::string& text, const std::string& file, const std::string& skill,
                     const std::vector<NewScript>& scripts, std::vector<Diagnostic>& notes) {
  const std::vector<std::string> lines = lines_of(text);
  std::size_t found = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    for (std::size_t at = line.find(kScripts); at != std::string_view::npos; at = line.find(kScripts, at + 1)) {
      const NewScript* named = named_by(line.substr(at + kScripts.size()), scripts);
      if (named == nullptr || ++found > kMostReferences) continue;
      notes.push_back({file, static_cast<int>(i) + 1, static_cast<int>(at) + 1,
                       "names scripts/" + named->found->file + ", which lies in scripts/_lib now",
                       "write `" + example_call(*named, skill) + "`"});
    }
  }
}

}  // namespace band::client
