#include "client/checks/skill_md.h"

#include <algorithm>
#include <filesystem>

#include "client/author/skeleton.h"
#include "client/terminal/nearest.h"
#include "schemas/core/json.h"
#include "schemas/core/json_text.h"
#include "schemas/json_schema/report.h"
#include "schemas/yaml/frontmatter.h"
#include "schemas/yaml/yaml.h"

namespace band::client {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxDescription = 1024, kMaxCompatibility = 500;  // characters
constexpr std::size_t kMaxLinks = 1'000;
constexpr std::size_t kMaxLines = 500;  // lines of the text; above it there is a note

std::string article(const Json& value) {
  const std::string type(json_type_name(value));
  if (type == "null") return "empty";
  if (type == "array") return "a list";
  if (type == "object") return "a map";
  return (type == "integer" ? "a number" : "a " + type);
}

// Returns a valid skill name that is derived from an invalid one.
std::string mended_name(const std::string& name) {
  std::string mended;
  for (const char c : name) {
    const bool is_letter = c >= 'A' && c <= 'Z';
    const bool is_taken = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (is_letter || is_taken)
      mended += is_letter ? static_cast<char>(c - 'A' + 'a') : c;
    else if (!mended.empty() && mended.back() != '-')
      mended += '-';
  }
  mended = mended.substr(0, 64);
  while (mended.ends_with('-')) mended.pop_back();
  return mended.empty() ? "NAME" : mended;
}

class FrontmatterCheck {
 public:
  FrontmatterCheck(const std::string& skill, const YamlDocument& document, Findings& found)
      : skill_(skill), file_(skill + "/SKILL.md"), document_(document), found_(found) {}

  void check() {
    const Json& all = document_.value;
    if (!all.is_object()) return error("", "the frontmatter is " + article(all), "write name: " + skill_);
    check_name();
    check_text("description", kMaxDescription, "move details into the text below the second `---`");
    check_text("compatibility", kMaxCompatibility, "shorten it");
    if (all.contains("license") && !all["license"].is_string())
      note("/license", "`license` is " + article(all["license"]) + ", and agents expect a text", "write license: NAME");
    check_metadata();
    check_tools();
    check_keys();
  }

 private:
  Diagnostic at(YamlPlace place, std::string message, std::string hint) const {
    return {file_, place.line, place.column, std::move(message), std::move(hint)};
  }
  void error(const std::string& pointer, std::string message, std::string hint) {
    found_.errors.push_back(at(document_.place_of(pointer), std::move(message), std::move(hint)));
  }
  void note(const std::string& pointer, std::string message, std::string hint) {
    found_.notes.push_back(at(document_.place_of(pointer), std::move(message), std::move(hint)));
  }

  void check_name() {
    const Json& all = document_.value;
    const std::string why = why_not_a_skill_name(skill_);
    if (!all.contains("name")) return error("", "`name` is missing", "write name: " + skill_);
    const Json& value = all["name"];
    if (!why.empty())
      return error("/name", "agents do not accept the name `" + skill_ + "`: " + why,
                   "rename the directory and write name: " + mended_name(skill_));
    if (!value.is_string())
      return error("/name", "`name` is " + article(value) + ", and agents expect a text",
                   "write name: \"" + skill_ + "\"");
    const std::string name = value.get<std::string>();
    if (name != skill_)
      error("/name", "the name is `" + escaped(name) + "`, and the directory is called `" + skill_ + "`",
            "write name: " + skill_);
  }

  void check_text(const std::string& key, std::size_t most, const char* shorter) {
    const Json& all = document_.value;
    const bool required = key == "description";
    const std::string write = "write " + key + ": " + (required ? "WHAT IT DOES, AND WHEN TO USE IT" : "WHAT IT NEEDS");
    if (!all.contains(key)) {
      if (required) error("", "`" + key + "` is missing", write);
      return;
    }
    const Json& value = all[key];
    if (!value.is_string())
      return error("/" + key, "`" + key + "` is " + article(value) + ", and agents expect a text", write);
    const std::size_t characters = characters_of(value);
    if (value.get<std::string>().find_first_not_of(" \t\n") == std::string::npos)
      return error("/" + key, "`" + key + "` is empty", write);
    if (characters > most)
      error("/" + key,
            "`" + key + "` has " + std::to_string(characters) + " characters, and agents accept at most " +
                std::to_string(most),
            shorter);
  }

  void check_metadata() {
    const Json& all = document_.value;
    if (!all.contains("metadata")) return;
    const Json& metadata = all["metadata"];
    if (!metadata.is_object())
      return note("/metadata", "`metadata` is " + article(metadata) + ", and agents expect a map of texts",
                  "write metadata: {author: NAME}");
    for (auto it = metadata.begin(); it != metadata.end(); ++it) {
      if (it.value().is_string()) continue;
      const std::string pointer = join_pointer("/metadata", it.key());
      const auto written = document_.plain.find(pointer);
      const std::string text = written == document_.plain.end() ? dump_json(it.value()) : written->second;
      note(pointer, "`metadata." + escaped(it.key()) + "` is " + article(it.value()) + ", and agents expect a text",
           "write " + escaped(it.key()) + ": " + shown_string(text));
    }
  }

  void check_tools() {
    const Json& all = document_.value;
    if (!all.contains("allowed-tools") || all["allowed-tools"].is_string()) return;
    std::string text;
    if (all["allowed-tools"].is_array())
      for (const Json& tool : all["allowed-tools"])
        if (tool.is_string()) text += (text.empty() ? "" : " ") + escaped(tool.get<std::string>());
    note("/allowed-tools",
         "`allowed-tools` is " + article(all["allowed-tools"]) + ", and the specification requires a text",
         "write allowed-tools: " + (text.empty() ? "Bash(band call " + skill_ + "/*)" : text));
  }

  void check_keys() {
    const std::vector<std::string> known{"name",          "description", "license",
                                         "compatibility", "metadata",    "allowed-tools"};
    const Json& all = document_.value;
    for (auto it = all.begin(); it != all.end(); ++it) {
      if (std::find(known.begin(), known.end(), it.key()) != known.end()) continue;
      const auto place = document_.keys.find(join_pointer("", it.key()));
      found_.notes.push_back(
          at(place == document_.keys.end() ? document_.place_of("") : place->second,
             "the Agent Skills specification has no key `" + escaped(it.key()) + "`",
             did_you_mean(it.key(), known, "",
                          "agents ignore it, or read it in their own way; `metadata` may have any keys")));
    }
  }

  const std::string& skill_;
  const std::string file_;
  const YamlDocument& document_;
  Findings& found_;
};

void check_links(const std::string& file, const std::vector<MarkdownLine>& lines,
                 const std::function<bool(const std::string&)>& has_file, std::vector<Diagnostic>& notes) {
  std::size_t count = 0;
  for (const MarkdownLink& link : relative_links(lines)) {
    if (++count > kMaxLinks) return;
    const std::string path = fs::path(link.target).lexically_normal().generic_string();
    const bool leads_out = path == ".." || path.starts_with("../");
    if (!leads_out && has_file(path)) continue;
    notes.push_back(
        {file, link.line, link.column,
         leads_out ? "the link points outside the skill: " + escaped(path) : "the skill has no file " + escaped(path),
         leads_out ? "put the file into references/ of the skill" : "write it, or remove the link"});
  }
}

}  // namespace

std::vector<MarkdownLine> check_skill_md(const std::string& skill, std::string_view text,
                                         const std::function<bool(const std::string&)>& has_file, Findings& found) {
  const std::string file = skill + "/SKILL.md";
  const auto split = split_frontmatter(text, file, "`name: " + skill + "` and `description: TEXT`", found.errors);
  if (!split) return {};
  std::vector<Diagnostic> broken;
  const auto document = parse_yaml(split->yaml, file, 2, broken);
  for (Diagnostic& diagnostic : broken) {
    if (diagnostic.message.find("illegal map value") != std::string::npos)
      diagnostic.hint = "quote a text that contains a colon";
    found.errors.push_back(std::move(diagnostic));
  }
  if (document && broken.empty()) FrontmatterCheck(skill, *document, found).check();
  std::vector<MarkdownLine> lines = markdown_lines(split->body, split->body_line);
  if (lines.size() > kMaxLines)
    found.notes.push_back({file, split->body_line, 0,
                           "the text has " + std::to_string(lines.size()) + " lines, and agents read all of them",
                           "move details into files of references/: at most " + std::to_string(kMaxLines) +
                               " lines are recommended for SKILL.md"});
  check_links(file, lines, has_file, found.notes);
  return lines;
}

}  // namespace band::client
