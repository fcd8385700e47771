// Band's own skills have no findings: the shipped ones, and those of `band new`.
#include <doctest/doctest.h>

#include "client/author/skeleton.h"
#include "tests/pure/client/checks/check_skill_test.h"

using namespace band;
using namespace band::client;
using namespace band::test;

namespace {

// `known`: number of the marked notes about bands.
std::string findings_of(const fs::path& skill, std::size_t& known) {
  CheckedSkills found;
  check_skill(skill, {}, found);
  std::string text;
  for (const auto* list : {&found.errors, &found.notes})
    for (const Diagnostic& finding : *list) text += finding.text() + "\n";
  known += found.known_of_band.size();
  CHECK(found.known.empty());
  return text;
}

}  // namespace

TEST_CASE("the shipped skills have neither errors nor notes, except two marked ones") {
  std::size_t skills = 0, known = 0;
  for (const auto& entry : fs::directory_iterator(BAND_SOURCE_DIR "/skills")) {
    if (!entry.is_directory()) continue;
    ++skills;
    CAPTURE(entry.path().string());
    CHECK(findings_of(entry.path(), known) == "");
  }
  CHECK(skills >= 7);
  CHECK(known == 2);  // in summarize
}

TEST_CASE("a skill of `band new` has neither errors nor notes") {
  const TempDir dir;
  std::vector<NewFile> files = new_skill_files("weather-2", "forecast");
  for (NewFile& file : new_script_files("weather-2", "history")) files.push_back(std::move(file));
  files.push_back(own_band_file("weather-2", "history"));
  for (const NewFile& file : files) dir.write("weather-2/" + file.path, file.content);
  std::size_t known = 0;
  CHECK(findings_of(dir.path("weather-2"), known) == "");
  CHECK(known == 0);
}
