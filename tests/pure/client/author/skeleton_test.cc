// The files of a new skill (client/author/skeleton.h).
#include "client/author/skeleton.h"

#include <doctest/doctest.h>

#include <set>

using namespace band::client;

TEST_CASE("the names of a new skill and its script are in all files, and no placeholder remains") {
  std::set<std::string> paths;
  for (const NewFile& file : new_skill_files("weather", "forecast")) {
    CAPTURE(file.path);
    CHECK(!file.content.empty());
    CHECK(file.content.find("@S") == std::string::npos);
    paths.insert(file.path);
  }
  CHECK(paths == std::set<std::string>{"SKILL.md", "BAND.md", "scripts/forecast/run.sh", "schemas/input/forecast.json",
                                       "schemas/output/forecast.json", "tests/forecast.yaml"});
  CHECK(new_skill_files("weather", "forecast")[0].content.find("band call weather/forecast --name") !=
        std::string::npos);
  CHECK(new_script_files("weather", "forecast").size() == 4);
  const NewFile band = own_band_file("weather", "forecast");
  CHECK(band.path == "scripts/forecast/BAND.md");
  CHECK(band.content.find("band: weather\n") != std::string::npos);
  CHECK(band.content.find("@S") == std::string::npos);
}

TEST_CASE("the name of a skill must be one that agents accept") {
  for (const char* name : {"weather", "a", "git-hub-2", "0"}) CHECK(why_not_a_skill_name(name) == "");
  for (const std::string& name : {std::string(), std::string("Weather"), std::string("a b"), std::string("-a"),
                                  std::string("a-"), std::string("a--b"), std::string("a/b"), std::string("ä"),
                                  std::string(".."), std::string("a_b"), std::string(65, 'a')}) {
    CAPTURE(name);
    CHECK(why_not_a_skill_name(name) != "");
  }
  CHECK(why_not_a_skill_name(std::string(64, 'a')) == "");
}
