// Files that band reads outside of its directories: targets of links, and BAND.md files that a linked skill names.
#include "client/workspace/own.h"

#include <doctest/doctest.h>

#include "client/workspace/workspace.h"
#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::client;
using namespace band::test;

namespace {

bool has(const std::string& text, const std::string& part) {
  CAPTURE(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a file that band reads outside of its directories is not written, and the files next to it are") {
  TempDir home;
  const EnvVar set_home("HOME", home.path()), set_config("BAND_CONFIG_DIR", home.path("settings"));
  const std::string file = ", a file of band, which no run writes";
  const auto write = [&](const std::string& workspace, const std::string& path) {
    const auto tree = Tree::open(home.path(workspace));
    REQUIRE(tree.ok());
    SentFiles sent;
    if (home.has(workspace + "/" + path)) sent[path] = content_hash(home.read(workspace + "/" + path));
    const auto result = write_back(*tree, domain({"./**"}), {}, sent, {{path, 0644, "new"}}, {});
    return result.ok() ? "written" : result.error().message();
  };
  const auto refuses = [&](const std::string& workspace, const std::string& path, const std::string& why) {
    CAPTURE(path);
    const std::string before = home.read(workspace + "/" + path);
    CHECK(has(write(workspace, path), path + " is " + why));
    CHECK(home.read(workspace + "/" + path) == before);
  };
  SUBCASE("by a link to a file of the configuration, also if the target does not exist") {
    for (const char* made : {"env", "target.json", "hard", "other", "inner/env"})
      home.write("dotfiles/" + std::string(made), "old");
    home.link("../dotfiles/env", "settings/env");
    home.link("../../dotfiles/target.json", "settings/targets/local.json");
    home.link(home.path("dotfiles/skills/"), "settings/skills");
    home.link("../dotfiles/target", "settings/target");
    home.link("../../elsewhere/tool.yaml", "dotfiles/skills/tool.yaml");
    home.link("../elsewhere/state", ".band/build-differences");
    home.write("settings/own", "own");
    fs::create_directories(home.path("elsewhere"));
    fs::create_hard_link(home.path("settings/own"), home.path("dotfiles/linked"));
    refuses("dotfiles", "env", home.path("settings/env") + file);
    refuses("", "dotfiles/env", home.path("settings/env") + file);
    refuses("dotfiles", "target.json", home.path("settings/targets/local.json") + file);
    refuses("dotfiles", "skills/text.yaml", "in " + home.path("settings/skills"));
    refuses("dotfiles", "target", "in " + home.path("settings/target"));
    refuses("elsewhere", "tool.yaml", "in " + home.path("settings/skills/tool.yaml"));
    refuses("elsewhere", "state", "in " + home.path(".band/build-differences"));
    for (const char* path : {"other", "inner/env", "new", "inner/target"}) CHECK(write("dotfiles", path) == "written");
    // A write-back replaces a name and does not write through it: the other hard link keeps its content.
    CHECK(write("dotfiles", "linked") == "written");
    CHECK(home.read("settings/own") == "own");
  }
  SUBCASE("by a BAND.md of a skill whose directory is a link") {
    const std::string shared = "---\nband: shared\n---\n";
    for (const char* made : {"shared/BAND.md", "shared/rules.md", "shared/deep/BAND.md", "unused/BAND.md"})
      home.write("source/" + std::string(made), shared);
    home.write("source/tool/BAND.md", "---\nband: tool\nextends: ../shared/BAND.md\n---\n");
    home.write("source/tool/scripts/go/BAND.md", "---\nband: go\nincludes: ../../../shared/rules.md\n---\n");
    home.write("source/tool/scripts/stay/run.sh", "x");
    home.link("../shared/deep/BAND.md", "source/linked/BAND.md");
    home.write("source/linked/scripts/go/run.sh", "x");
    for (const char* skill : {"tool", "linked", "gone"})
      home.link(home.path("source/" + std::string(skill)), ".band/skills/" + std::string(skill));
    refuses("source", "shared/BAND.md", home.path("source/shared/BAND.md") + file);
    refuses("source/shared", "rules.md", home.path("source/shared/rules.md") + file);
    refuses("", "source/shared/deep/BAND.md", home.path("source/shared/deep/BAND.md") + file);
    refuses("source", "gone/BAND.md", "in " + home.path(".band/skills/gone"));
    for (const char* path : {"unused/BAND.md", "shared/other.md", "shared/deep/rules.md"})
      CHECK(write("source", path) == "written");
    home.write("work/a", "x");
    CHECK(write("work", "a") == "written");
  }
  SUBCASE("by a linked skill with errors: only the files that are known to be named") {
    home.write("source/new/BAND.md",
               "---\nband: new\nrequires: {band: \"99.0\"}\nextends: [../shared/BAND.md, ../none/../missing.md]\n"
               "includes: [.., ../shared]\n---\n");
    home.write("source/new/scripts/go/run.sh", "x");
    home.write("source/broken/BAND.md", "---\nband: [\n---\n");
    home.write("source/broken/scripts/go/run.sh", "x");
    home.write("source/chain/BAND.md", "---\nband: chain\nextends: ../shared/BAND.md\n---\n");
    home.write("source/chain/scripts/go/BAND.md", "---\nband: go\nincludes: ../../BAND.md\npath: [\n---\n");
    home.write("source/chain/scripts/stay/run.sh", "x");
    home.write("source/shared/BAND.md", "---\nband: shared\nextends: ../later/BAND.md\n---\n");
    for (const char* skill : {"new", "broken", "chain"})
      home.link(home.path("source/" + std::string(skill)), ".band/skills/" + std::string(skill));
    refuses("source", "shared/BAND.md", home.path("source/shared/BAND.md") + file);
    refuses("source", "missing.md", "in " + home.path("source/"));
    refuses("source", "later/BAND.md", "in " + home.path("source/"));
    refuses("source", "broken/BAND.md", "in " + home.path(".band/skills/broken"));
    for (const char* path : {"a.txt", "shared/other.md", "later/other.md"}) CHECK(write("source", path) == "written");
  }
  SUBCASE("by a SKILL.md that is a link") {
    home.write(".band/skills/notes/BAND.md", "---\nband: notes\n---\n");
    home.link(home.path("texts/notes.md"), ".band/skills/notes/SKILL.md");
    home.write("source/tool/BAND.md", "---\nband: tool\n---\n");
    home.link("../../texts/tool", "source/tool/SKILL.md");
    home.link(home.path("source/tool"), ".band/skills/tool");
    home.write("texts/notes.md", "old");
    refuses("texts", "notes.md", home.path(".band/skills/notes/SKILL.md") + file);
    refuses("", "texts/tool", "in " + home.path(".band/skills/tool/SKILL.md"));
    CHECK(write("texts", "other.md") == "written");
  }
  SUBCASE("by a link with `..` after a name that does not exist") {
    home.link("../dot/none/../q", "settings/env");
    home.link("../dot/./none/inner/../../link/t", "settings/other");
    home.link("../elsewhere", "dot/link");
    home.link("none/../circle", "dot/circle");
    home.link("../dot/circle", "settings/circle");
    fs::create_directories(home.path("elsewhere"));
    refuses("dot", "q", "in " + home.path("settings/env"));
    refuses("elsewhere", "t", "in " + home.path("settings/other"));
    for (const char* path : {"p", "none/q"}) CHECK(write("dot", path) == "written");
  }
}
