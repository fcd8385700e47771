#include "client/commands/learn_band.h"

#include <doctest/doctest.h>

#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::client;
using namespace band::test;

namespace {

// Skills in one directory, whose scripts share the band of one of them.
struct Skills {
  TempDir dir;

  void band(const std::string& place, const std::string& rows) const {
    dir.write(place + "/BAND.md", "---\nband: b\n" + rows + "---\n");
  }
  void script(const std::string& name) const {
    const std::size_t slash = name.find('/');
    dir.write(name.substr(0, slash) + "/scripts/" + name.substr(slash + 1) + "/run.sh", "true\n");
  }
  std::vector<std::string> sharers(const std::string& skill = "tool") const {
    std::vector<Diagnostic> errors;
    const auto script = load_script({skill + "/go", skill, "go", dir.path(skill)}, errors);
    REQUIRE(script);
    return sharers_of(*script);
  }
  Skills() {
    band("tool", "");
    script("tool/go");
  }
};

}  // namespace

TEST_CASE("a script of another skill whose band follows this one shares it") {
  for (const char* key : {"includes", "extends", "path"}) {
    CAPTURE(key);
    const Skills skills;
    CHECK(skills.sharers().empty());
    skills.band("other", std::string(key) + ": ../tool/BAND.md\n");
    skills.script("other/x");
    skills.band("third", "extends: ../other/BAND.md\n");  // overrides another one
    skills.script("third/y");
    skills.band("apart", "");
    skills.script("apart/z");
    CHECK(skills.sharers() == std::vector<std::string>{"other/x", "third/y"});
  }
}

TEST_CASE("other bands of the skill, and a second name of the skill, do not share the band") {
  const Skills skills;
  skills.script("tool/own");
  skills.band("tool/scripts/own", "");
  fs::create_directory_symlink(skills.dir.path("tool"), skills.dir.path("alias"));
  CHECK(skills.sharers().empty());
  CHECK(skills.sharers("alias").empty());
  skills.script("tool/same");
  CHECK(skills.sharers() == std::vector<std::string>{"tool/same"});
  CHECK(skills.sharers("alias") == std::vector<std::string>{"alias/same"});
}

TEST_CASE("a band that does not compose is listed with its error if it may use this one") {
  const Skills skills;
  skills.script("other/x");  // it has no band
  skills.script("apart/z");
  skills.band("apart", "allow: {reed: [./x]}\n");  // it names no other file
  CHECK(skills.sharers().empty());
  skills.script("tool/broken");
  skills.band("tool/scripts/broken", "includes: ../../BAND.md\nallow: {reed: [./x]}\n");
  skills.script("tool/zero");
  skills.band("other", "extends: ../gone/BAND.md\n");
  const std::vector<std::string> sharers = skills.sharers();
  REQUIRE(sharers.size() == 3);
  CHECK(sharers[0] == "tool/zero");  // known sharers are first
  CHECK(sharers[1].starts_with("tool/broken (not known, because its band is not valid: tool/scripts/broken/BAND.md:4"));
  CHECK(sharers[2].starts_with("other/x (not known, because its band is not valid: other/BAND.md:3"));
}
