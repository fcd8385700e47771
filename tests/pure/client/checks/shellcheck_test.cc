// shellcheck in `band validate`: a stand-in that prints the output of shellcheck 0.9.
#include "client/checks/shellcheck.h"

#include <doctest/doctest.h>

#include "tests/pure/client/checks/check_skill_test.h"

using namespace band;
using namespace band::client;
using namespace band::test;

TEST_CASE("a warning of shellcheck is a note, with file, line, column and code") {
  const TempDir bin;
  bin.write(
      "shellcheck",
      "#!/bin/bash\nprintf '%s\\n' \"$*\" >> " + bin.path("arguments") + "\ncat >> " + bin.path("texts") +
          "\necho '{\"comments\": [{\"file\": \"-\", \"line\": 2, \"endLine\": 2, \"column\": 4, \"endColumn\": 9, "
          "\"level\": \"warning\", \"code\": 2164, \"message\": \"Use cd ... || exit in case cd fails.\", "
          "\"fix\": null}]}'\nexit 1\n",
      0755);
  const SkillFiles files{{"scripts/go/run.sh", "a=1\ncd x\necho \"$a\"\n"}, {"scripts/_lib/b.sh", "b=1\n"}};
  CHECK(checked({"", files, ""}, bin.path("shellcheck")) ==
        "note: s/scripts/_lib/b.sh:2:4: Use cd ... || exit in case cd fails (SC2164)\n"
        "note: s/scripts/go/run.sh:2:4: Use cd ... || exit in case cd fails (SC2164)\n");
  CHECK(bin.read("arguments") ==
        "--norc -f json1 -S warning -s bash -\n"
        "--norc -f json1 -S warning -s bash -eSC2034,SC2154 -\n");
  CHECK(bin.read("texts") == "a=1\ncd x\necho \"$a\"\nb=1\n");
}

TEST_CASE("a shellcheck that fails, prints too much or other output causes a note") {
  const TempDir bin;
  bin.write("shellcheck", "#!/bin/bash\necho '{\"comments\": 5}'\n", 0755);
  const std::string begin = "note: s/scripts/go/run.sh: shellcheck did not check it: ";
  CHECK(checked({"", {}, ""}, bin.path("shellcheck")) ==
        begin + "shellcheck exited with status 0; run `shellcheck -s bash` to see why\n");
  bin.write("shellcheck", "#!/bin/bash\necho '{\"comments\": []}'\nexit 3\n", 0755);
  CHECK(checked({"", {}, ""}, bin.path("shellcheck")).starts_with(begin + "shellcheck exited with status 3"));
  bin.write("shellcheck", "#!/bin/bash\nwhile :; do echo x; done\n", 0755);
  CHECK(checked({"", {}, ""}, bin.path("shellcheck"))
            .starts_with(begin + "shellcheck exceeded its limit of time or output"));
}

TEST_CASE("a large text is not passed to shellcheck") {
  const TempDir bin;
  bin.write("shellcheck", "#!/bin/bash\ntouch " + bin.path("called") + "\n", 0755);
  CHECK(checked({"", {{"scripts/go/run.sh", std::string(300 << 10, '#')}}, ""}, bin.path("shellcheck")) ==
        "note: s/scripts/go/run.sh: shellcheck did not check it: the file has more than 256 KiB; run `shellcheck -s "
        "bash` to "
        "see why\n");
  CHECK_FALSE(fs::exists(bin.path("called")));
}

TEST_CASE("shellcheck has one time limit for all files of a skill, and a note names the unchecked ones") {
  const TempDir bin, dir;
  bin.write("shellcheck", "#!/bin/bash\nexec sleep 20\n", 0755);
  dir.write("s/SKILL.md", "---\nname: s\ndescription: x\n---\n");
  dir.write("s/BAND.md", "---\nband: s\n---\n");
  for (const char* name : {"a", "b", "c"})
    dir.write(std::string("s/scripts/") + name + "/run.sh", "echo '{}' > \"$OUTPUT_PATH\"\n");
  CheckedSkills found;
  check_skill(dir.path("s"), {.shellcheck = bin.path("shellcheck"), .shellcheck_ms = 300}, found);
  REQUIRE(found.notes.size() == 2);
  CHECK(found.notes[0].text().find("s/scripts/a/run.sh: shellcheck did not check it: shellcheck exceeded its limit") ==
        0);
  CHECK(
      found.notes[1].text().find("s/scripts/b/run.sh: shellcheck did not check it: the 0 s for one skill have passed; "
                                 "also not checked: s/scripts/c/run.sh;") == 0);
}

TEST_CASE("invalid JSON of shellcheck is rejected") {
  std::vector<Diagnostic> notes;
  for (const char* json : {"", "[]", "{}", "{\"comments\": {}}", "{\"comments\": [}"}) {
    CAPTURE(json);
    CHECK_FALSE(read_shellcheck("f", json, notes));
  }
  CHECK(read_shellcheck("f",
                        R"({"comments": [5, {}, {"message": 5}, {"message": "a\u001b[31mb", "line": -1, "code": "x"},
                                {"message": "c", "line": 1e99, "column": 3.5, "code": 99999999999}]})",
                        notes));
  REQUIRE(notes.size() == 2);
  CHECK(notes[0].text() == "f: a\\u001b[31mb");
  CHECK(notes[1].text() == "f: c");
  std::string many = "{\"comments\": [";
  for (int i = 0; i < 200; ++i) many += std::string(i > 0 ? "," : "") + R"({"message": "m", "line": 1})";
  notes.clear();
  CHECK(read_shellcheck("f", many + "]}", notes));
  CHECK(notes.size() == 50);
}
