#include "client/convert/skill_text.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "schemas/core/json_pointer.h"
#include "schemas/core/json_text.h"
#include "schemas/core/lines.h"
#include "schemas/yaml/frontmatter.h"
#include "schemas/yaml/yaml.h"

namespace band::client {
namespace {

constexpr std::size_t kMostReferences = 200;
constexpr std::string_view kScripts = "scripts/";

// Returns the line end of the first line: "\r\n" or "\n".
std::string line_end_of(const std::string& text) {
  const std::size_t end = text.find('\n');
  return end != std::string::npos && end > 0 && text[end - 1] == '\r' ? "\r\n" : "\n";
}

std::string with_carriage_returns(const std::string& text) {
  std::string made;
  for (const char c : text) made += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return made;
}

// Returns the line of a key of the frontmatter; 0 for a missing key.
int line_of(const YamlDocument& document, const std::string& key) {
  const auto found = document.keys.find("/" + key);
  return found == document.keys.end() ? 0 : found->second.line;
}

// Returns true when the frontmatter is empty, or when each key is at the beginning of a line, so that lines can be
// inserted between the keys.
bool is_map_in_lines(const YamlDocument& document, std::string_view yaml) {
  if (document.keys.empty()) return yaml.find_first_not_of(" \t\r\n") == std::string_view::npos;
  return std::all_of(document.keys.begin(), document.keys.end(), [](const auto& key) {
    return std::count(key.first.begin(), key.first.end(), '/') > 1 || key.second.column == 1;
  });
}

std::string shown_at(const YamlDocument& document, const std::string& key) {
  const Json* value = value_at(document.value, {key});
  return value == nullptr ? "" : text_of_string(*value).value_or(shown_value(*value, kMaxYamlBytes));
}

// Returns the entries of `allowed-tools`: the items of a list, or the parts of a text between commas and blanks outside
// of parentheses.
std::vector<std::string> tools_of(const YamlDocument& document) {
  std::vector<std::string> tools;
  const Json* value = value_at(document.value, {"allowed-tools"});
  const auto text = value == nullptr ? std::nullopt : text_of_string(*value);
  if (!text) {
    for (std::size_t i = 0; const Json* item = value_at(document.value, {"allowed-tools", std::to_string(i)}); ++i)
      tools.push_back(text_of_string(*item).value_or(shown_value(*item)));
    if (tools.empty() && value != nullptr) tools.push_back(shown_value(*value));
    return tools;
  }
  int depth = 0;
  std::string tool;
  for (const char c : *text) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    const bool between = depth <= 0 && (c == ',' || c == ' ' || c == '\n' || c == '\t');
    if (!between)
      tool += c;
    else if (!tool.empty())
      tools.push_back(std::exchange(tool, ""));
  }
  if (!tool.empty()) tools.push_back(std::move(tool));
  return tools;
}

// Replaces a key of the frontmatter and its value, which ends before the next key; comments before the next key stay.
// `moved`: the number of lines by which the text was moved before. Returns this number for the lines after the key.
int replace_entry(std::vector<std::string>& lines, const YamlDocument& document, int key_line, int end_line, int moved,
                  const std::string& line) {
  int next = end_line;
  for (const auto& [pointer, place] : document.keys)
    if (std::count(pointer.begin(), pointer.end(), '/') == 1 && place.line > key_line)
      next = std::min(next, place.line);
  const auto at = [&](int number) { return lines.begin() + number - 1 + moved; };
  while (next > key_line + 1 && (at(next - 1)->empty() || at(next - 1)->starts_with('#'))) --next;
  *at(key_line) = line;
  lines.erase(at(key_line + 1), at(next));
  return moved + key_line + 1 - next;
}

// Both functions return the index of the line after the frontmatter.
std::size_t new_frontmatter(std::vector<std::string>& lines, const std::string& file, const std::string& skill,
                            const std::string& tools, std::vector<Diagnostic>& notes) {
  const std::string about = "description: " + skill + ", as SKILL.md describes it";
  lines.insert(lines.begin(), {"---", "name: " + skill, about, "allowed-tools: " + tools, "---", ""});
  notes.push_back({file, 1, 0, "has no frontmatter; one was written",
                   "write its `description`: an agent decides by the description whether to read the rest"});
  return 5;
}

// Adds a note with the removed entries. Only calls of band stay allowed without a confirmation; with other entries, the
// agent could start the scripts outside the sandbox.
void note_removed(const std::vector<std::string>& found, const std::string& tools, const std::string& file, int line,
                  std::vector<Diagnostic>& notes) {
  std::string removed;
  for (const std::string& tool : found)
    if (tool != tools) removed += (removed.empty() ? "`" : ", `") + one_line(tool, 100) + "`";
  if (!removed.empty())
    notes.push_back({file, line, 1, "`allowed-tools` is now only `" + tools + "`; removed: " + one_line(removed, 1000),
                     "an agent calls the scripts by band; add other tools again if it needs them"});
}

std::size_t mend_frontmatter(const std::string& text, std::vector<std::string>& lines, const std::string& file,
                             const std::string& skill, std::vector<Diagnostic>& notes) {
  const std::string tools = "Bash(band call " + skill + "/*)";
  std::vector<Diagnostic> without, wrong;
  const auto split = split_frontmatter(text, file, "", without);
  if (!split) return new_frontmatter(lines, file, skill, tools, notes);
  const int end_line = split->body_line - 1;
  const auto document = parse_yaml(split->yaml, file, 2, wrong);
  if (!document || !wrong.empty() || !is_map_in_lines(*document, split->yaml)) {
    notes.insert(notes.end(), wrong.begin(), wrong.end());
    notes.push_back({file, 1, 1, "the frontmatter was not changed: it cannot be read as YAML with one key per line",
                     "write `name: " + skill + "` and `allowed-tools: " + tools + "` in place of these keys"});
    return static_cast<std::size_t>(end_line);
  }
  const int name = line_of(*document, "name");
  int moved = 0;
  if (name == 0) {
    lines.insert(lines.begin() + 1, "name: " + skill);
    moved = 1;
  } else if (const std::string old = shown_at(*document, "name"); old != skill) {
    notes.push_back({file, name, 1, "the name `" + one_line(old, 64) + "` became `" + skill + "`",
                     "a skill has the name of its directory"});
    moved = replace_entry(lines, *document, name, end_line, 0, "name: " + skill);
  }
  if (line_of(*document, "description") == 0)
    notes.push_back({file, 1, 0, "the frontmatter has no `description`",
                     "write one: an agent decides by the description whether to read the rest"});
  if (const int line = line_of(*document, "allowed-tools"); line == 0) {
    lines.insert(lines.begin() + end_line - 1 + moved, "allowed-tools: " + tools);
    ++moved;
  } else if (shown_at(*document, "allowed-tools") != tools) {
    const int before = line > name ? moved : 0;
    note_removed(tools_of(*document), tools, file, line + before, notes);
    const int after = replace_entry(lines, *document, line, end_line, before, "allowed-tools: " + tools);
    moved += after - before;
  }
  return static_cast<std::size_t>(end_line) + static_cast<std::size_t>(moved);
}

std::string band_section(const std::string& skill, const std::vector<NewScript>& scripts) {
  std::string text =
      "## With band\n\nThe scripts of this skill run in a sandbox. Call them by `band call`, not by an "
      "interpreter, even where\n"
      "this text names a file of `scripts/`. Paths are relative to the current directory.\n\n";
  for (const NewScript& script : scripts) text += "    " + example_call(script, skill) + "\n";
  text += "\nIf a script prints text, its result has the text in the property `text`. `" + std::string("band call ") +
          skill + "/" + (scripts.empty() ? "NAME" : scripts[0].name) + " --help` shows its parameters.\n\n";
  return text;
}

// Returns the script whose file of scripts/ begins the text; if a subcommand follows, the script of that subcommand.
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
  const std::string line_end = line_end_of(text);
  std::vector<std::string> lines;
  for (std::string_view line : lines_of(text)) {
    if (line_end == "\r\n" && line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
  }
  // Inserts it before the first section, so that an agent reads it before the text that names files of scripts/.
  std::size_t at = mend_frontmatter(text, lines, file, skill, notes);
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
  return line_end == "\n" ? made : with_carriage_returns(made);
}

void note_references(const std::string& text, const std::string& file, const std::string& skill,
                     const std::vector<NewScript>& scripts, std::vector<Diagnostic>& notes) {
  const std::vector<std::string_view> lines = lines_of(text);
  std::size_t found = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    for (std::size_t at = line.find(kScripts); at != std::string_view::npos; at = line.find(kScripts, at + 1)) {
      const NewScript* named = named_by(line.substr(at + kScripts.size()), scripts);
      if (named == nullptr || ++found > kMostReferences) continue;
      notes.push_back({file, static_cast<int>(i) + 1, static_cast<int>(at) + 1,
                       "names scripts/" + named->found->file + ", which is now in scripts/_lib",
                       "write `" + example_call(*named, skill) + "`"});
    }
  }
}

}  // namespace band::client
