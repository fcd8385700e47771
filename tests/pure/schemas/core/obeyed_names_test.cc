#include "schemas/core/obeyed_names.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

using namespace band;

namespace {

std::string name_of(const std::string& path) {
  const ObeyedName* const found = obeyed_name(path);
  return found == nullptr ? "" : std::string(found->name);
}

}  // namespace

TEST_CASE("a name that programs execute or obey is found at any depth, with everything below it") {
  struct Row {
    const char *path, *name;
  };
  const Row rows[] = {
      {".git/hooks/pre-commit", ".git"},
      {"a/.git", ".git"},
      {"_darcs/prefs/defaults", "_darcs"},
      {".hg/hgrc", ".hg"},
      {".jj/repo/config.toml", ".jj"},
      {".lfsconfig", ".lfsconfig"},
      {".gitmodules", ".gitmodules"},
      {".husky/pre-push", ".husky"},
      {"a/b/.envrc", ".envrc"},
      {".vscode/tasks.json", ".vscode"},
      {".idea", ".idea"},
      {".run/x.run.xml", ".run"},
      {".zed/tasks.json", ".zed"},
      {".devcontainer/devcontainer.json", ".devcontainer"},
      {".claude/settings.local.json", ".claude/settings*.json"},
      {".claude/settings.json", ".claude/settings*.json"},
      {".claude/skills/x/SKILL.md", ".claude"},
      {".mcp.json", ".mcp.json"},
      {".cursor/mcp.json", ".cursor"},
      {".codex/config.toml", ".codex"},
      {".gemini/settings.json", ".gemini"},
      {"opencode.json", "opencode.json"},
      {".junie/mcp/mcp.json", ".junie"},
      {".trae/rules/project_rules.md", ".trae"},
      {".rules", ".rules"},
      {".github/agents/x.agent.md", ".github/agents"},
      {".github/hooks/x.json", ".github/hooks"},
      {".github/instructions/x.instructions.md", ".github/instructions"},
      {".github/prompts/x.prompt.md", ".github/prompts"},
      {".theia/tasks.json", ".theia"},
      {".project", ".project"},
      {".cproject", ".cproject"},
      {".factorypath", ".factorypath"},
      {".externalToolBuilders/x.launch", ".externalToolBuilders"},
      {".settings/language.settings.xml", ".settings"},
      {".bsp/sbt.json", ".bsp"},
      {".env", ".env"},
      {"a/.env.production.local", ".env.*"},
      {".flaskenv", ".flaskenv"},
      {".pdbrc.py", ".pdbrc.py"},
      {".coveragerc", ".coveragerc"},
      {".proverc", ".proverc"},
      {".simplecov", ".simplecov"},
      {".yardopts", ".yardopts"},
      {".credo.exs", ".credo.exs"},
      {"config/.credo.exs", ".credo.exs"},
      {".flake8", ".flake8"},
      {".formatter.exs", ".formatter.exs"},
      {".luacheckrc", ".luacheckrc"},
      {".lefthook.yml", ".lefthook*"},
      {".lefthook-local/pre-commit/x.sh", ".lefthook*"},
      {"lefthook.yml", "lefthook.*"},
      {".config/lefthook.toml", "lefthook.*"},
      {"lefthook-local.yml", "lefthook-local.*"},
      {".semaphore/semaphore.yml", ".semaphore"},
      {".teamcity/settings.kts", ".teamcity"},
      {".tekton/push.yaml", ".tekton"},
      {".npmrc", ".npmrc"},
      {".yarnrc.yml", ".yarnrc.yml"},
      {".pnpmfile.cjs", ".pnpmfile.*"},
      {".cargo/config.toml", ".cargo/config.toml"},
      {".mvn/extensions.xml", ".mvn"},
      {"gradle/wrapper/gradle-wrapper.properties", "gradle-wrapper.*"},
      {"gradle-wrapper.jar", "gradle-wrapper.*"},
      {".exrc", ".exrc"},
      {".nvim.lua", ".nvim.lua"},
      {".pre-commit-config.yaml", ".pre-commit-config.yaml"},
      {".github/workflows/ci.yml", ".github/workflows"},
      {".bash_profile", ".bash_profile"},
      {"home/.zshenv", ".zshenv"},
      {".profile/x", ".profile"},
      {"package.json", "package.json"},
      {"sub/Makefile", "Makefile"},
      // names that are only similar
      {"", ""},
      {"git/hooks", ""},
      {".github/CODEOWNERS", ""},
      {".gitignore", ""},
      {".github/ISSUE_TEMPLATE/hooks", ""},
      {".envrc2", ""},
      {".environment", ""},
      {"env.local", ""},
      {"lefthook", ""},
      {"lefthooks.yml", ""},
      {".projectile", ""},
      {"envrc", ""},
      {".cargo/registry", ""},
      {"config.toml", ""},
      {".claude2/settings.json", ""},
      {"gradle-wrapper", ""},
      {"vscode/tasks.json", ""},
      {".cache/x", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.path);
    CHECK(name_of(row.path) == row.name);
  }
}

TEST_CASE("a name is found in every spelling that a file system treats as the name") {
  for (const char* path :
       {".ENVRC", "x/.Envrc", ".envrc.", ".envrc ", ".envrc::$DATA", ".e\xE2\x80\x8Cnvrc", "a\\.envrc", "ENVRC~1"}) {
    CAPTURE(path);
    CHECK(name_of(path) == ".envrc");
  }
  for (const char* path : {"VSCODE~1/tasks.json",
                           ".V\xC5\xBF"
                           "CODE/x",
                           ".VSCODE /x"})
    CHECK(name_of(path) == ".vscode");
  CHECK(name_of("CLAUDE~1/SETTIN~1.JSO") == ".claude/settings*.json");
  CHECK(name_of(".claude\\settings.json") == ".claude/settings*.json");
  CHECK(name_of("GRADLE~1.JAR") == ".gradle");  // also the short name of `gradle-wrapper.jar`
  CHECK(name_of("ENVPRO~1.LOC") == ".env.*");   // `.env.production.local`
  CHECK(name_of("LEFTHO~1.YML") == ".lefthook*");
  CHECK(name_of("EXTERN~1/x.launch") == ".externalToolBuilders");
  CHECK(name_of("GITHUB~1/PROMPT~1/x.md") == ".github/prompts");
  for (const char* path : {"~envrc", "envrc~", "xenvrc~1", "~", "~1"}) CHECK(name_of(path) == "");
}

TEST_CASE("the place of a name in a path is that of its segments") {
  const auto parts = obeyed_parts("a/.claude/settings.json/.envrc");
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].name->name == ".claude/settings*.json");
  CHECK(parts[0].first == 1);
  CHECK(parts[0].end == 3);
  CHECK(parts[1].name->name == ".claude");
  CHECK(parts[1].end == 2);
  CHECK(parts[2].first == 3);
  CHECK(parts[2].end == 4);
  CHECK(obeyed_parts("x\\.claude\\settings.json").at(0).end == 1);
  CHECK(obeyed_parts("a/b").empty());
}

TEST_CASE("a path of very many names is compared at each of them") {
  const auto repeated = [](std::string_view name) {
    std::string path;
    while (path.size() + name.size() <= 4096) path += name;
    return path;
  };
  CHECK(obeyed_parts(repeated("git~1/")).size() == 4096 / 6);
  CHECK(obeyed_parts(repeated(".git\\")).size() == 4096 / 5);
  CHECK(obeyed_parts(repeated(".github/workflows/")).size() == 4096 / 18);
  for (const char* name : {"\\", "~", "a/", "a~1\\", "~1\\", "config~1\\", ".git~1/", "git~/"}) {
    CAPTURE(name);
    CHECK(obeyed_parts(repeated(name)).empty());
  }
  CHECK(name_of(repeated("a~1\\") + "/.envrc") == ".envrc");
}

TEST_CASE("the first row of the table that a path touches is found, wherever its place in the path is") {
  CHECK(name_of("Makefile/.envrc/.vscode/.git") == ".git");
  CHECK(name_of("Makefile/.envrc/.vscode") == ".vscode");
}

TEST_CASE("a file that tools obey without being asked needs a rule that spells it, with and without a dot") {
  for (const char* path : {"lefthook.yml", ".lefthook.yml", "gradle-wrapper.jar", ".env.production", ".flake8"})
    CHECK(obeyed_name(path)->opened_by == OpenedBy::Spelling);
  CHECK(obeyed_name("Makefile")->opened_by == OpenedBy::AnyRule);  // the control
}

TEST_CASE("every row has a reason, no row occurs twice, and rows that no rule opens are first") {
  std::set<std::string_view> names;
  OpenedBy last = OpenedBy::NoRule;
  for (const ObeyedName& row : obeyed_names()) {
    CAPTURE(std::string(row.name));
    CHECK(names.insert(row.name).second);
    CHECK(row.reason.size() > 10);
    CHECK(static_cast<int>(row.opened_by) >= static_cast<int>(last));
    last = row.opened_by;
    std::string path(row.name);
    if (const auto star = path.find('*'); star != std::string::npos) path.replace(star, 1, "x");
    CHECK(std::ranges::count(obeyed_parts(path), &row, &ObeyedPart::name) == 1);
    CHECK(std::ranges::count(obeyed_parts("a/" + path + "/b"), &row, &ObeyedPart::name) == 1);
  }
}

TEST_CASE("docs/security.md names every row that only a rule which spells it opens") {
  std::ifstream file(BAND_SOURCE_DIR "/docs/security.md");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  for (const ObeyedName& row : obeyed_names())
    CHECK_MESSAGE(text.find("`" + std::string(row.name) + "`") != std::string::npos, row.name);
}
