// `band new`: the new skills and scripts run unchanged.
#include <sys/stat.h>

#include <filesystem>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

namespace fs = std::filesystem;

// A caller without own skills.
class Author : public Caller {
 public:
  Author() : Caller(shared_server()) { env.erase("BAND_SKILLS"); }
};

std::size_t files_below(const std::string& directory) {
  std::size_t count = 0;
  std::error_code none;
  for (fs::recursive_directory_iterator it(directory, none), end; it != end; ++it) ++count;
  return count;
}

}  // namespace

TEST_CASE("a new skill runs and is valid, and one more script of it, too") {
  const Author caller;
  const Ran made = caller.band({"new", "skill", "weather", "forecast"});
  CHECK_STATUS(made, 0);
  CHECK_HAS(made.out, "made " + caller.home(".band/skills/weather/SKILL.md"));
  CHECK_HAS(made.out, "band run weather/forecast --name World\n");
  const Ran ran = caller.band({"run", "weather/forecast", "--name", "World"});
  CHECK_STATUS(ran, 0);
  CHECK_HAS(ran.out, "Hello, World!");
  CHECK_STATUS(caller.band({"call", "weather/forecast", "--name", "World"}), 0);
  CHECK_HAS_NOT(made.out, "note: ");
  const Ran more = caller.band({"new", "script", "weather/history"});
  CHECK_STATUS(more, 0);
  CHECK_HAS(more.out, "because SKILL.md does not name it. Write into SKILL.md");
  CHECK_HAS(more.out, "    band call weather/history --name World\n\nThen");
  CHECK_STATUS(caller.band({"run", "weather/history", "--name", "World"}), 0);
  const Ran listed = caller.band({"list", "weather/history"});
  CHECK_STATUS(listed, 2);
  CHECK_HAS(listed.err, "band show weather/history");
  const Ran tested = caller.band({"test", "weather"});
  CHECK_STATUS(tested, 0);
  CHECK_HAS(tested.out, "4 passed, 0 failed");
  const Ran valid = caller.band({"validate", caller.home(".band/skills/weather")});
  CHECK_STATUS(valid, 0);
  CHECK_HAS_NOT(valid.err, "note");
  struct stat script {};
  REQUIRE(::stat(caller.home(".band/skills/weather/scripts/forecast/run.sh").c_str(), &script) == 0);
  CHECK((script.st_mode & 0100) != 0);
}

TEST_CASE("a new script of a skill whose band opens something runs, opens nothing, and does not change the others") {
  struct Row {
    const char* band;
    const char* why;
  };
  for (const Row& row :
       {Row{"allow: {cli: [\"git hash-object ./*\"], read: [\"{path}\"]}", "allows what other scripts need"},
        Row{"insist: {read: [\"{path}\"]}", "allows what other scripts need"},
        Row{"env: [NOTES_TOKEN]", "declares variables that other scripts need"},
        Row{"contract: {input: schemas/input/title.json}", "would use the schemas of other scripts"},
        Row{"clii: [git]", "BAND.md:3:1"}}) {
    CAPTURE(row.band);
    const Author caller;
    const std::string skill = caller.home(".band/skills/notes");
    REQUIRE_STATUS(caller.band({"new", "skill", "notes", "title"}), 0);
    write_file(skill + "/schemas/input/title.json",
               R"({"type": "object", "properties": {"path": {"type": "string"}, "name": {"type": "string"}}})");
    write_file(skill + "/BAND.md", std::string("---\nband: notes\n") + row.band + "\n---\n");
    const Ran made = caller.band({"new", "script", "notes/second"});
    CHECK_STATUS(made, 0);
    CHECK_HAS(made.out,
              "note: scripts/second/BAND.md is the script's own band and allows nothing, because notes/BAND.md");
    CHECK_HAS(made.out, row.why);
    CHECK_HAS(made.out, "and allow in scripts/second/BAND.md what the script needs");
    const Ran ran = caller.band({"call", "notes/second", "--name", "World"});
    CHECK_STATUS(ran, 0);
    CHECK_HAS(ran.out, "Hello, World!");
    CHECK_STATUS(caller.band({"test", "notes/second"}), 0);
    CHECK_HAS(caller.band({"why", "notes/second", "--", "git", "hash-object", "./x"}).out, "no      git");
    CHECK_HAS_NOT(caller.band({"validate", "notes"}).err, "notes/second");
    // With its own band it does not use that of the skill.
    write_file(skill + "/scripts/third/BAND.md", "---\nband: notes\n---\n");
    const Ran third = caller.band({"new", "script", "notes/third"});
    CHECK_STATUS(third, 0);
    CHECK_HAS_NOT(third.out, "the script's own band");
    CHECK_STATUS(caller.band({"run", "notes/third", "--name", "World"}), 0);
  }
}

TEST_CASE("for another directory it prints how to run the skill, and --json has the directory") {
  const Author caller;
  const std::string place = caller.work("it's mine");
  const Ran made = caller.band({"new", "skill", "weather", "--to", place});
  CHECK_STATUS(made, 0);
  CHECK_HAS(made.out, "band run weather/hello --name World --skills '" + caller.work("it'\\''s mine") + "'");
  CHECK_STATUS(caller.band({"run", "weather/hello", "--name", "World", "--skills", place}), 0);
  const Ran script = caller.band({"new", "script", "weather/other", "--skills", place, "--json"});
  CHECK_STATUS(script, 0);
  CHECK_HAS(script.out, R"("script":"weather/other")");
  CHECK_HAS(
      script.out,
      R"("files":["scripts/other/run.sh","schemas/input/other.json","schemas/output/other.json","tests/other.yaml"])");
}

TEST_CASE("for a new skill that hides another one of its name, a note names that one") {
  Author caller;
  const std::string first = caller.work("first"), second = caller.work("second");
  caller.env["BAND_SKILLS"] = first + ":" + second;
  const Ran alone = caller.band({"new", "skill", "weather", "--to", second});
  CHECK_STATUS(alone, 0);
  CHECK_HAS_NOT(alone.out, "note: ");
  const Ran hides = caller.band({"new", "skill", "weather", "--to", first});
  CHECK_STATUS(hides, 0);
  CHECK_HAS(hides.out,
            "note: `band run weather/hello` now runs this skill, and no longer the one in " + second + "/weather\n");
}

TEST_CASE("existing files are not changed, and an unfinished skill leaves nothing") {
  const Author caller;
  REQUIRE_STATUS(caller.band({"new", "skill", "weather"}), 0);
  const std::string skill = caller.home(".band/skills/weather");
  write_file(skill + "/scripts/hello/run.sh", "mine");
  CHECK_STATUS(caller.band({"new", "skill", "weather"}), 5);
  CHECK_STATUS(caller.band({"new", "script", "weather/hello"}), 5);
  CHECK(read_file(skill + "/scripts/hello/run.sh") == "mine");
  // The second of four files exists: the first, and its directory, are removed again.
  write_file(skill + "/schemas/input/half.json", "mine");
  const std::size_t before = files_below(skill);
  const Ran half = caller.band({"new", "script", "weather/half"});
  CHECK_STATUS(half, 5);
  CHECK_HAS(half.err, "schemas/input/half.json");
  CHECK(files_below(skill) == before);
  CHECK(read_file(skill + "/schemas/input/half.json") == "mine");
  fs::create_symlink("/nonexistent", caller.home(".band/skills/planted"));
  CHECK_STATUS(caller.band({"new", "skill", "planted"}), 5);
}

TEST_CASE("band new follows no link in the directory of a skill, and leaves no files after an error") {
  for (const std::string link : {"schemas", "tests", "scripts", "schemas/input", "scripts/second"}) {
    CAPTURE(link);
    const Author caller;
    REQUIRE_STATUS(caller.band({"new", "skill", "weather"}), 0);
    const std::string skill = caller.home(".band/skills/weather"), elsewhere = caller.work("elsewhere");
    fs::create_directories(elsewhere);
    if (fs::exists(skill + "/" + link)) fs::rename(skill + "/" + link, caller.work("moved"));
    fs::create_directory_symlink(elsewhere, skill + "/" + link);
    const std::size_t inside = files_below(skill), before = files_below(elsewhere);
    const Ran refused = caller.band({"new", "script", "weather/second"});
    CHECK_STATUS(refused, 3);
    CHECK_HAS(refused.err, skill + "/" + link + " is a link");
    CHECK(files_below(elsewhere) == before);
    CHECK(files_below(skill) == inside);
    // The control: a directory instead of the link. And a link to the whole skill is the caller's own.
    fs::remove(skill + "/" + link);
    fs::rename(skill, caller.work("linked"));
    fs::create_directory_symlink(caller.work("linked"), skill);
    CHECK_STATUS(caller.band({"new", "script", "weather/second"}), 0);
    CHECK(fs::exists(skill + "/scripts/second/run.sh"));
  }
}

TEST_CASE("an impossible skill or script is refused with a remedy") {
  const Author caller;
  struct Row {
    Words words;
    const char* says;
  };
  for (const Row& row :
       {Row{{}, "band new skill NAME, or band new script SKILL/NAME"}, Row{{"skil", "x"}, "needs `skill` or `script`"},
        Row{{"skill"}, "for example: band new skill weather forecast"},
        Row{{"skill", "My Skill"}, "a character other than a to z"},
        Row{{"skill", "a/b"}, "a character other than a to z"}, Row{{"skill", "../a"}, "a character other than a to z"},
        Row{{"skill", "a", "../b"}, "cannot be a script's name"},
        Row{{"skill", "a", "_lib"}, "cannot be a script's name"},
        Row{{"skill", "a", "--to", ""}, "--to names no directory"}, Row{{"skill", "a", "--to", "/proc"}, "/proc/a"},
        Row{{"script", "weather"}, "a name of the form SKILL/NAME"},
        Row{{"script", "nothing/x"}, "band new skill nothing x"}, Row{{"script", "hello/x"}, "ships with band"}}) {
    CAPTURE(row.says);
    Words words = {"new"};
    words.insert(words.end(), row.words.begin(), row.words.end());
    const Ran ran = caller.band(words);
    CHECK_STATUS(ran, 2);
    CHECK_HAS(ran.err, row.says);
  }
  CHECK(!exists(caller.home(".band/skills/a")));
}
