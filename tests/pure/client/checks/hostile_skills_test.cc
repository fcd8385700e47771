// Untrusted skills: names are escaped in messages, links to the outside are not followed, and the cost of large skills
// is limited.
#include <doctest/doctest.h>

#include "tests/pure/client/checks/check_skill_test.h"
#include "tests/pure/cpu_seconds.h"

using namespace band::test;

namespace {

std::string repeated(std::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

}  // namespace

TEST_CASE("links that point outside the skill are not followed") {
  const TempDir dir;
  dir.write("secret", "---\nname: s\ndescription: secret\nsecret: 1\n---\n[x](../secret)\n");
  dir.write("s/BAND.md", "---\nband: s\n---\n");
  dir.write("s/scripts/go/run.sh", "echo '{}' > \"$OUTPUT_PATH\"\n");
  dir.link("../secret", "s/SKILL.md");
  band::client::CheckedSkills found;
  band::client::check_skill(dir.path("s"), {}, found);
  REQUIRE(found.errors.size() == 1);
  CHECK(found.errors[0].text().starts_with("s/SKILL.md: cannot be read"));
  CHECK(found.notes.empty());
}

TEST_CASE("links of a skill's directories to one another are followed once each") {
  const TempDir dir;
  dir.write("s/SKILL.md", "---\nname: s\ndescription: Does it. Use it in tests.\n---\n");
  dir.write("s/BAND.md", "---\nband: s\n---\n");
  dir.write("s/scripts/go/run.sh", "echo '{}' > \"$OUTPUT_PATH\"\n");
  for (const char* directory : {"s/schemas", "s/scripts/_lib", "s/assets", "s/references", "s/tests"})
    for (int i = 0; i < 8; ++i) dir.link(".", std::string(directory) + "/l" + std::to_string(i));
  band::client::CheckedSkills found;
  CHECK(cpu_seconds_of([&] { band::client::check_skill(dir.path("s"), {}, found); }) < 2);
  REQUIRE(found.notes.size() == 1);
  CHECK(found.notes[0].text().starts_with(
      "s/BAND.md: was not compared with scripts/go, because the files of this script have errors"));
}

TEST_CASE("a marked note is listed as known, and counted; an error cannot be marked") {
  const TempDir dir;
  dir.write("s/SKILL.md", "---\nname: other # band validate: known\ndescription: x\n---\n");
  dir.write("s/BAND.md", "---\nband: s\n---\n");
  dir.write("s/scripts/go/run.sh",
            "gh a # band validate: known\n  # band validate: known, it is tried first\ngh b\ngh c\necho \"# band "
            "validate: known\"; gh d\n");
  band::client::CheckedSkills found;
  band::client::check_skill(dir.path("s"), {}, found);
  CHECK(found.errors.size() == 1);
  REQUIRE(found.known.size() == 2);
  CHECK(found.known[1].line == 3);
  REQUIRE(found.notes.size() == 2);
  CHECK(found.notes[0].line == 4);
  CHECK(found.notes[1].line == 5);
}

TEST_CASE("a skill cannot hide a note about its rules, for any name of their file") {
  const TempDir dir;
  dir.write("s/SKILL.md", "---\nname: s\ndescription: x\n---\n");
  dir.write("s/BAND.md",
            "---\nband: s\nincludes: scripts/_lib/rules.sh\nallow:\n"
            "  net: [\"*\"]  # band validate: known: all is well\n---\n");
  dir.write("s/scripts/_lib/rules.sh",
            "---\nband: more\nallow:\n  # band validate: known\n  cli: [\"python3 x.py\"]\n---\n");
  dir.write("s/scripts/go/run.sh", "echo '{}' > \"$OUTPUT_PATH\"\n");
  band::client::CheckedSkills found;
  band::client::check_skill(dir.path("s"), {}, found);
  band::client::sort_findings(found);
  std::string shown;
  for (const band::Diagnostic& note : found.known_of_band)
    shown += note.file + ":" + std::to_string(note.line) + note.message.substr(note.message.rfind(" (")) + "\n";
  CHECK(shown ==
        "s/BAND.md:5 (known: all is well)\n"
        "s/scripts/_lib/rules.sh:5 (known: no reason is given)\n");
  CHECK(found.known.empty());
  CHECK(found.notes.empty());
  for (const band::Diagnostic& error : found.errors) FAIL_CHECK(error.text());
}

TEST_CASE("a link in the text to the outside of the skill is a note, whether its target exists or not") {
  CHECK(
      checked({"", {{"SKILL.md", "---\nname: s\ndescription: x\n---\n[a](../../etc/passwd)\n"}}, ""}) ==
      "note: s/SKILL.md:5:1: the link points outside the skill: ../../etc/passwd; put the file into references/ of the "
      "skill\n");
}

TEST_CASE("long texts of any kind are checked quickly") {
  const auto check_all = [] {
    for (const char* part :
         {"cat a <b >c; ", "\"$A_TOKEN\" ", "x=$((", "gh x; ", "a[", "$(", "`", "<<A ", "exec ", "band call s/go\n"}) {
      CAPTURE(part);
      checked({"", {{"scripts/go/run.sh", repeated(part, 5'000)}}, ""});
      checked({"", {{"SKILL.md", "---\nname: s\ndescription: x\n---\n```\n" + repeated(part, 5'000)}}, ""});
    }
    checked({"", {{"SKILL.md", "---\nname: s\ndescription: x\n---\n" + repeated("[a](", 15'000)}}, ""});
    std::string properties;
    for (int i = 0; i < 150; ++i)
      properties +=
          (i > 0 ? ", \"p" : "\"p") + std::to_string(i) + R"(": {"type": "string", "enum": ["a", 5], "reqired": 1})";
    checked(
        {"",
         {{"SKILL.md", "---\nname: s\ndescription: x\n---\n```\n" + repeated("band call s/go --x 1\n{\"a\":\n", 1'500)},
          {"schemas/input/go.json", "{\"type\": \"object\", \"properties\": {" + properties + "}}"}},
         ""});
  };
  CHECK(cpu_seconds_of(check_all) < 1);  // measured: about 0.1
}
