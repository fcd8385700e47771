// The tests/ of a skill on disk, and the workspaces of cases.
#include "client/skill_tests/files.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "client/skill_tests/case_workspace.h"
#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::client;
using band::test::TempDir;

namespace {

const std::string kOne = "script: go\ncases:\n  - name: one\n";

// A skill with the script `go`.
class Skill {
 public:
  Skill() {
    dir.write("skill/BAND.md", "---\nband: skill\n---\n");
    dir.write("skill/scripts/go/run.sh", "true\n");
  }
  SkillTests load() const { return load_tests({"skill", dir.path("skill")}, dir.path("skill")); }
  std::string error_texts() const {
    std::string text;
    for (const Diagnostic& error : load().errors) text += error.text() + "\n";
    return text;
  }
  TempDir dir;
};

#define CHECK_SAYS(text, part) CHECK_MESSAGE((text).find(part) != std::string::npos, (text))

}  // namespace

TEST_CASE("a skill without tests has no cases and no errors") {
  const Skill skill;
  CHECK(skill.load().cases.empty());
  CHECK(skill.load().errors.empty());
}

TEST_CASE("the cases of all *.yaml are read, in the order of their names; other files and directories are ignored") {
  const Skill skill;
  skill.dir.write("skill/tests/b.yaml", kOne);
  skill.dir.write("skill/tests/a.yaml", kOne + "  - name: two\n");
  skill.dir.write("skill/tests/.hidden.yaml", "nonsense");
  skill.dir.write("skill/tests/README.md", "text");
  skill.dir.write("skill/tests/files.yaml/x.yaml", "nonsense");
  skill.dir.write("skill/tests/c.yml", kOne);
  const SkillTests tests = skill.load();
  REQUIRE(tests.cases.size() == 3);
  CHECK(tests.cases[0].place() == skill.dir.path("skill/tests/a.yaml:3"));
  CHECK(tests.cases[2].file == skill.dir.path("skill/tests/b.yaml"));
  REQUIRE(tests.notes.size() == 1);
  CHECK_SAYS(tests.notes[0].text(), "c.yml: is not read; rename it to c.yaml");
}

TEST_CASE("one invalid file leaves no cases, and the errors of all files are reported") {
  const Skill skill;
  skill.dir.write("skill/tests/a.yaml", kOne);
  skill.dir.write("skill/tests/b.yaml", "script: go\n");
  skill.dir.write("skill/tests/c.yaml", "script: x\ncases: [{name: y}]\n");
  CHECK(skill.load().cases.empty());
  CHECK(skill.load().errors.size() == 2);
}

TEST_CASE("a file that is too large or a link is refused") {
  const Skill skill;
  skill.dir.write("skill/tests/a.yaml", std::string(65 << 10, '#'));
  CHECK_SAYS(skill.error_texts(), "a.yaml: has more than 64 KiB; split it");
  const Skill linked;
  linked.dir.write("elsewhere.yaml", kOne);
  linked.dir.link(linked.dir.path("elsewhere.yaml"), "skill/tests/a.yaml");
  CHECK_SAYS(linked.error_texts(), "a.yaml: is a link, and links are not followed");
  const Skill whole;
  whole.dir.write("elsewhere/a.yaml", kOne);
  whole.dir.link(whole.dir.path("elsewhere"), "skill/tests");
  CHECK_SAYS(whole.error_texts(), "is not a directory, or is a link");
}

TEST_CASE("a directory below tests/ is the workspace of a case, with modes and names that begin with a dot") {
  const Skill skill;
  skill.dir.write("skill/tests/a.yaml",
                  kOne + "    workspace: files/small\n  - name: two\n    workspace: files/small/\n");
  skill.dir.write("skill/tests/files/small/x/.y", "text", 0755);
  const SkillTests tests = skill.load();
  REQUIRE_MESSAGE(tests.cases.size() == 2, skill.error_texts());
  CHECK(tests.cases[0].workspace == tests.cases[1].workspace);
  std::string path;
  {
    const auto workspace = CaseWorkspace::make(*tests.cases[0].workspace);
    REQUIRE(workspace.ok());
    path = workspace->path();
    struct ::stat info = {};
    REQUIRE(::stat(path.c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0700);
    REQUIRE(::stat((path + "/x/.y").c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0755);
    CHECK(**workspace->read("x/.y") == "text");
    CHECK_FALSE(workspace->read("x")->has_value());
    CHECK_FALSE(workspace->read("x/none")->has_value());
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a workspace directory that is missing, too large or has links is reported with the case's line") {
  const Skill skill;
  skill.dir.write("skill/tests/a.yaml", kOne + "    workspace: files\n");
  CHECK_SAYS(skill.error_texts(), "a.yaml:4: tests/files does not exist; create it");
  skill.dir.link("/etc/passwd", "skill/tests/files/passwd");
  CHECK_SAYS(skill.error_texts(),
             "a.yaml:4: tests/files/passwd is a link, and links are not followed; replace it by the file");
  std::filesystem::remove(skill.dir.path("skill/tests/files/passwd"));
  skill.dir.write("skill/tests/files/big", "");
  std::filesystem::resize_file(skill.dir.path("skill/tests/files/big"), (16u << 20) + 1);
  CHECK_SAYS(skill.error_texts(),
             "tests/files/big exceeds a limit: the workspace of a case has at most 2,000 files and 16 MiB");
}
