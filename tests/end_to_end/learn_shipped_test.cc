// `band learn` on the shipped skills, after their bands were removed.
#include "tests/end_to_end/learn_stage.h"
#include "tests/end_to_end/shipped_skill.h"

using namespace band::test;

TEST_CASE("the shipped skills, after their bands were removed, get the shipped bands or smaller ones") {
  const Caller caller(server());
  Environment env = caller.env;
  env["GIT_CONFIG_GLOBAL"] = "/dev/null";
  const Ran made = Running({"/usr/bin/bash", "-c",
                            "git init -q . && for i in 1 2 3; do git -c user.name=a -c user.email=a@b.example "
                            "commit -q --allow-empty -m $i; done"},
                           env, caller.work(""))
                       .wait();
  REQUIRE_STATUS(made, 0);
  write_file(caller.work("book.txt"), "one two\nthree\nfour\n");
  write_file(caller.work("more.txt"), "one\n");
  struct Row {
    const char *script, *band;  // which BAND.md, below the skill
    Words inputs;
    std::set<std::string> lines;  // the shipped band differs as the comment describes
    const char* by_hand = "";     // lines that learn leaves to a person and never tries
  };
  for (const Row& row : {Row{"hello/greet", "BAND.md", {R"({"name": "World"})"}, {}},
                         // Ships ./**/*.txt, of which the script reads the one that `path` names, and replaces those in
                         // out/.
                         Row{"text/wordcount", "BAND.md", {R"({"path": "book.txt"})"}, {"allow.read \"{path}\""}},
                         Row{"text/split",
                             "scripts/split/BAND.md",
                             {R"({"path": "book.txt", "lines": 2})"},
                             {"allow.read \"{path}\"", "allow.read {path: \"./out/*.txt\", optional: true}",
                              "allow.write \"./out/*.txt\""}},
                         // Ships `git log *`, also as insist; learn keeps the options of run.sh. A
                         // person decides about a repository.
                         Row{"repo/changes",
                             "scripts/changes/BAND.md",
                             {R"({"count": 1})", R"({"count": 2})"},
                             {"insist.cli \"git log --max-count=* --date=short --format=%h%x00%an%x00%ad%x00%s%x00\""},
                             "allow: {read: [./.git/**]}\n"}}) {
    const std::string script = row.script, skill = script.substr(0, script.find('/'));
    CAPTURE(script);
    const std::string place = copy_of(caller, skill) + "/" + row.band;
    std::string bare = without_rules(read_file(place));
    write_file(place, bare);
    Words words = learn({"--runs", "10", "--apply"}, script);
    for (const std::string& input : row.inputs) words.insert(words.end(), {"--input", input});
    if (*row.by_hand != '\0') {
      const Ran asked = caller.band(words);
      CHECK_STATUS(asked, 1);
      CHECK_HAS(asked.out, "read: [\"./.git/**\"]   # git found no repository; .git/config may contain credentials");
      CHECK(read_file(place) == bare);
      bare.insert(bare.find("\n---") + 1, row.by_hand);
      write_file(place, bare);
    }
    const Ran learnt = caller.band(words);
    REQUIRE_STATUS(learnt, 0);
    const std::set<std::string> lines = learnt_lines(read_file(place));
    CHECK_MESSAGE(lines == row.lines, read_file(place), learnt.err);
    Words run = {"run", script, "--input", row.inputs.front()};
    CHECK_STATUS(caller.band(run), 0);
  }
}
