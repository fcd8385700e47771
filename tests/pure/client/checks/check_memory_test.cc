// Memory use of `band validate` for the files of a skill.
#include <doctest/doctest.h>

#include "tests/counted_memory.h"
#include "tests/pure/client/checks/check_skill_test.h"

using namespace band::test;

TEST_CASE("files that all scripts of a skill share are in memory for one script at a time") {
  constexpr std::size_t kShared = 1u << 20;
  const TempDir dir;
  dir.write("s/SKILL.md", "---\nname: s\ndescription: Does it. Use it in tests.\n---\n");
  dir.write("s/BAND.md", "---\nband: s\nenv: [IN_ASSETS, NOWHERE]\n---\n");
  dir.write("s/assets/data", "IN_ASSETS" + std::string(kShared, 'x'));
  dir.write("s/scripts/_lib/data", std::string(kShared, 'x'));
  for (int i = 0; i < 40; ++i)
    dir.write("s/scripts/s" + std::to_string(i) + "/run.sh", "echo '{}' > \"$OUTPUT_PATH\"\n");
  band::client::CheckedSkills found;
  CHECK(peak_of([&] { band::client::check_skill(dir.path("s"), {}, found); }) <
        10 * kShared);  // 80 if each script kept them
  CHECK(found.errors.empty());
  REQUIRE(found.notes.size() == 1);  // the names in the files are nevertheless known
  CHECK(found.notes[0].message == "no script uses the variable NOWHERE");
}

TEST_CASE("shell texts next to the scripts are kept up to a limit, also those that links multiply") {
  const TempDir dir;
  dir.write("s/SKILL.md", "---\nname: s\ndescription: Does it. Use it in tests.\n---\n");
  dir.write("s/BAND.md", "---\nband: s\n---\n");
  dir.write("s/assets/data", std::string(4u << 20, '#'));
  for (int i = 0; i < 10; ++i) {
    const std::string script = "s/scripts/s" + std::to_string(i);
    dir.write(script + "/run.sh", "echo '{}' > \"$OUTPUT_PATH\"\n");
    dir.link("../../assets/data", script + "/more.sh");
  }
  band::client::CheckedSkills found;
  CHECK(peak_of([&] { band::client::check_skill(dir.path("s"), {}, found); }) < 36u << 20);  // 48 with all of them
  std::size_t bounded = 0;
  for (const band::Diagnostic& note : found.notes) bounded += note.message.find("16 MiB") != std::string::npos ? 1 : 0;
  CHECK(bounded == 1);
}
