// The skills that ship, as ordinary ones: without bands and schemas, each script with its input as a file and its
// output on stdout. What `band convert` finds in their texts is compared with the bands that ship.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "client/convert/convert.h"
#include "schemas/band/band.h"
#include "schemas/pattern/pattern.h"
#include "tests/pure/client/convert/uncommented.h"

using namespace band::client;

namespace {

namespace fs = std::filesystem;

struct Needs {
  std::set<std::string> programs, hosts, variables;
  void add(const band::RuleSet& cli, const band::RuleSet& net, const std::vector<band::EnvRule>& env) {
    for (const band::Rule& rule : cli) programs.insert(band::CliPattern::parse(rule.pattern)->command());
    for (const band::Rule& rule : net) hosts.insert(band::NetPattern::parse(rule.pattern)->host);
    for (const band::EnvRule& rule : env) variables.insert(rule.name);
  }
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

std::vector<SkillFile> ordinary(const fs::path& skill) {
  std::vector<SkillFile> files{{"SKILL.md", text_of(skill / "SKILL.md")}};
  for (const auto& script : fs::directory_iterator(skill / "scripts"))
    for (const auto& file : fs::directory_iterator(script.path())) {
      const std::string name = file.path().filename().string();
      if (name == "BAND.md") continue;
      std::string text = text_of(file.path());
      replace_all(text, "> \"$OUTPUT_PATH\"", "");
      replace_all(text, "$OUTPUT_PATH", "/dev/stdout");
      replace_all(text, "$INPUT_PATH", "$1");
      replace_all(text, "$BAND_LIB", "$(dirname \"$0\")");
      files.push_back({"scripts/" + (name == "run.sh" ? script.path().filename().string() + ".sh" : name), text});
    }
  return files;
}

Needs shipped_needs(const fs::path& skill) {
  Needs needs;
  for (const auto& script : fs::directory_iterator(skill / "scripts")) {
    if (script.path().filename() == "_lib") continue;
    std::vector<band::Diagnostic> errors;
    const auto band = band::compose_band(skill, script.path().filename().string(), errors);
    REQUIRE(band);
    for (const band::RuleSet& layer : band->rules.cli.opened)
      for (const band::RuleSet& net : band->rules.net.opened) needs.add(layer, net, band->rules.env);
    if (band->rules.net.opened.empty())
      for (const band::RuleSet& layer : band->rules.cli.opened) needs.add(layer, {}, band->rules.env);
  }
  return needs;
}

Needs found_needs(const std::vector<SkillFile>& files) {
  const auto made = convert_skill(files, "made", {}, "src", "/out");
  REQUIRE_MESSAGE(made.ok(), made.error().message());
  CHECK(made->errors.empty());
  Needs needs;
  for (const SkillFile& file : made->files) {
    if (!file.is_new || !file.path.ends_with("/BAND.md")) continue;
    std::vector<band::Diagnostic> errors;
    const auto band = band::parse_band(band::test::uncommented(file.content), file.path, errors);
    REQUIRE_MESSAGE(band, file.content);
    needs.add(band->allow_cli, band->allow_net, band->env);
  }
  return needs;
}

std::string shown(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + " ";
  return text;
}

}  // namespace

TEST_CASE("what is found in the scripts that ship is what their bands open, as far as their texts name it") {
  using Names = std::set<std::string>;
  struct Row {
    const char* skill;
    Names unnamed;  // in the band, and not in a script: a program knows it by itself
  };
  for (const Row& row : {Row{"hello", {}}, Row{"text", {}}, Row{"repo", {}}, Row{"slack", {}}, Row{"elevenlabs", {}},
                         Row{"summarize",
                             {"api.anthropic.com", "ANTHROPIC_API_KEY", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
                              "CLAUDE_CODE_MAX_RETRIES"}},
                         Row{"github", {"api.github.com", "uploads.github.com", "githubusercontent.com"}}}) {
    CAPTURE(std::string(row.skill));
    const fs::path skill = fs::path(BAND_SOURCE_DIR) / "skills" / row.skill;
    Needs shipped = shipped_needs(skill);
    const Needs found = found_needs(ordinary(skill));
    for (const std::string& name : row.unnamed)
      CHECK_MESSAGE(shipped.hosts.erase(name) + shipped.variables.erase(name) == 1, name);
    CHECK(shown(found.programs) == shown(shipped.programs));
    CHECK(shown(found.hosts) == shown(shipped.hosts));
    CHECK(shown(found.variables) == shown(shipped.variables));
  }
}
