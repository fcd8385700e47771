// Reads the shipped skills as ordinary ones: without bands and schemas, each script with its input as a file and its
// output on stdout. Compares the needs that `band convert` finds with the bands that ship.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "client/convert/convert.h"
#include "schemas/pattern/pattern.h"
#include "schemas/permit/compose.h"
#include "tests/pure/client/convert/uncommented.h"

using namespace band::client;

namespace {

namespace fs = std::filesystem;

using Names = std::set<std::string>;

struct Needs {
  Names programs, hosts, variables, reads, writes;

  void add_cli(const band::RuleSet& rules) {
    for (const band::Rule& rule : rules) programs.insert(band::CliPattern::parse(rule.pattern)->command());
  }
  void add_net(const band::RuleSet& rules) {
    for (const band::Rule& rule : rules) hosts.insert(band::NetPattern::parse(rule.pattern)->host);
  }
  void add_env(const std::vector<band::EnvRule>& rules) {
    for (const band::EnvRule& rule : rules) variables.insert(rule.name);
  }
  void add_read(const band::RuleSet& rules) {
    for (const band::Rule& rule : rules) reads.insert(rule.pattern);
  }
  void add_write(const band::RuleSet& rules) {
    for (const band::Rule& rule : rules) writes.insert(rule.pattern);
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
    for (const band::RuleSet& layer : band->rules.cli.opened) needs.add_cli(layer);
    for (const band::RuleSet& layer : band->rules.net.opened) needs.add_net(layer);
    for (const band::RuleSet& layer : band->rules.read.opened) needs.add_read(layer);
    for (const band::RuleSet& layer : band->rules.write.opened) needs.add_write(layer);
    needs.add_env(band->rules.env);
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
    needs.add_cli(band->allow_cli);
    needs.add_net(band->allow_net);
    needs.add_read(band->allow_read);
    needs.add_write(band->allow_write);
    needs.add_env(band->env);
  }
  return needs;
}

// The differences: "-NAME" is only in the bands that ship, "+NAME" was only found in the text.
Names differences(const Names& shipped, const Names& found) {
  Names all;
  for (const std::string& name : shipped)
    if (!found.contains(name)) all.insert("-" + name);
  for (const std::string& name : found)
    if (!shipped.contains(name)) all.insert("+" + name);
  return all;
}

std::string shown(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += name + " ";
  return text;
}

}  // namespace

TEST_CASE(
    "the needs found in the shipped scripts are the permissions of their bands, except those not in their texts") {
  struct Row {
    const char* skill;
    Names hosts, variables;  // these hosts are built into a program
    // A script for band has its paths from members of its input: `path=$(jq -r .path "$1")`. `band learn` finds them.
    Names reads, writes;
  };
  for (const Row& row :
       {Row{"hello", {}, {}, {}, {}}, Row{"text", {}, {}, {"-./**/*.txt"}, {"-./out/*.txt"}},
        Row{"repo", {}, {}, {"-./.git/**"}, {}}, Row{"slack", {}, {}, {"-{path}"}, {}},
        Row{"elevenlabs", {}, {}, {"-{out}", "-{samples}"}, {"-{out}"}},
        Row{"summarize",
            {"-api.anthropic.com"},
            {"-ANTHROPIC_API_KEY", "-CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "-CLAUDE_CODE_MAX_RETRIES"},
            {"-{path}", "-{paths}"},
            {}},
        // Its scripts write their files into a temporary directory, which is their working directory.
        Row{"github",
            {"-api.github.com", "-uploads.github.com", "-githubusercontent.com"},
            {},
            {"-{file}", "+./out"},
            {"+./out", "+./err", "+./err-of-limits", "+./headers"}}}) {
    CAPTURE(std::string(row.skill));
    const fs::path skill = fs::path(BAND_SOURCE_DIR) / "skills" / row.skill;
    const Needs shipped = shipped_needs(skill), found = found_needs(ordinary(skill));
    CHECK(shown(differences(shipped.programs, found.programs)) == "");
    CHECK(shown(differences(shipped.hosts, found.hosts)) == shown(row.hosts));
    CHECK(shown(differences(shipped.variables, found.variables)) == shown(row.variables));
    CHECK(shown(differences(shipped.reads, found.reads)) == shown(row.reads));
    CHECK(shown(differences(shipped.writes, found.writes)) == shown(row.writes));
  }
}
