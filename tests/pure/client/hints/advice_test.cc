// The notes about a run that exits with 0, and lines that can be written together.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include "client/hints/authored.h"
#include "schemas/core/json.h"
#include "schemas/core/words.h"
#include "tests/pure/client/hints/hint_stage.h"

using namespace band;
using namespace band::client;
using namespace band::test;

TEST_CASE("what the text of a program tests is found, and data is not treated as the text of a program") {
  const std::string tests =
      "f=conf.ini; [[ -f $f ]]; [ -d \"$PWD/data\" ]; test -e ./notes.txt; echo \"${PLACE:-x} ${HOME:-y} ${OTHER:+z}\"";
  const auto prepared = [&](Stage& stage) {
    stage.script.source = "";
    stage.variables = {"PLACE", "HOME", "OTHER", "SECRET"};
    for (const char* name : {"conf.ini", "data/a", "notes.txt", ".env"}) stage.dir.write(name, "x");
  };
  Stage stage;
  prepared(stage);
  stage.reader = Reader::CommandLine;
  stage.command = {"bash", "-c", tests};
  CHECK(
      stage.unnoticed() ==
      "your environment has the variable PLACE, which the script reads, and the script does not get it; add `--env "
      "PLACE`\n"
      "the script tests for conf.ini, which is in the workspace and is not sent to the sandbox; add `--read conf.ini`\n"
      "the script tests for the directory data, which is in the workspace and is not sent to the sandbox; add "
      "`--read data/`");
  stage.sent = {"conf.ini", "data/a"};
  stage.written = {"notes.txt"};  // the run has made it
  CHECK(stage.unnoticed() ==
        "your environment has the variable PLACE, which the script reads, and the script "
        "does not get it; add `--env PLACE`");
  const std::string data = "[ -f conf.ini ]; [ -e .env ]; command -v sudo; ${SECRET:-}";
  Stage argument;
  prepared(argument);
  argument.reader = Reader::CommandLine;
  argument.command = {"bash", "-c", "echo \"$1\"", data};
  CHECK(argument.unnoticed() == "");
  Stage input;
  prepared(input);
  input.script.source = "echo \"${1:-x}\"";
  input.input = JsonValue(Json{{"title", data}});
  CHECK(input.unnoticed() == "");
  Stage python;
  prepared(python);
  python.script.lib = {{"go.py", 0644, "if os.path.exists(\"conf.ini\"): pass\nPath('notes.txt')\n"}};
  CHECK(python.unnoticed() == "");  // a file of another script of the skill
  python.script.source = "python3 \"$BAND_LIB/go.py\"";
  CHECK(contains(python.unnoticed(), "tests for conf.ini"));
  CHECK(contains(python.unnoticed(), "tests for notes.txt"));
}

TEST_CASE("all lines that the messages of one run propose for one file can be written together") {
  Stage stage;
  stage.script.source = "[ -f conf.ini ]; ${PLACE:-x} ${NAME:-x}";
  stage.dir.write("conf.ini", "x");
  stage.variables = {"PLACE", "NAME"};
  stage.ledger("command", R"({"argv": ["gh", "pr"], "missing": true})", "not found: gh pr");
  const std::string all = stage.from([](Advice& advice) {
    std::vector<std::string> texts = advice.unnoticed();
    for (const std::string& text : advice.lost({"out.txt"})) texts.push_back(text);
    return texts;
  });
  CHECK(
      all ==
      "your environment has variables NAME, PLACE, which the script reads, and the script does not get "
      "them; "
      "write in test/BAND.md:  env: {NAME: {required: false, secret: false}, PLACE: {required: false, secret: false}}\n"
      "the script tests for conf.ini, which is in the workspace and is not sent to the sandbox; write in test/BAND.md: "
      " "
      "allow: {read: [\"./conf.ini\"]}\n"
      "out.txt was not written back; if it is a result, write in test/BAND.md:  allow: {read: [\"./conf.ini\", {path: "
      "\"./out.txt\", optional: true}], write: [\"./out.txt\"]} (it has the line of another message, too: write only "
      "this one)");
  // Within one text: the file is to be read and written.
  Stage both;
  both.dir.write("out.txt", "x");
  CHECK(both.lost({"out.txt"}) ==
        "the out.txt of the workspace was not sent to the sandbox, so the script has made a new one; write in "
        "test/BAND.md:  allow: {read: [\"./out.txt\"]}; for writing it back, write in test/BAND.md:  allow: {read: "
        "[\"./out.txt\"], write: [\"./out.txt\"]} (it has the line of another message, too: write only this one)");
}

TEST_CASE("lost files: the property that names one, directories, and names that the server or the script chooses") {
  Stage stage;
  stage.input = json(R"({"output": "./report.md", "args": ["x.md"]})");
  CHECK(contains(stage.lost({"report.md"}),
                 "allow: {write: [\"{output}\"], read: [{path: \"{output}\", optional: true}]}"));
  CHECK(contains(stage.lost({"x.md"}), "allow: {write: [\"./x.md\"], read: [{path: \"./x.md\", optional: true}]}"));
  stage.reader = Reader::CommandLine;
  CHECK(stage.lost({"a/b/1", "a/b/2"}) ==
        "2 files below a/b were not written back; if they are results, add `--write a/b/`");
  CHECK(stage.lost({"runs/2026-11-29/log"}) ==
        "runs/2026-11-29/log was not written back; if it is a result, add `--write runs/`");
  for (const Words& hostile : std::vector<Words>{{"a/b", "a"}, {".ssh/id"}, {".bashrc"}, {std::string(5000, 'x')}, {}})
    CHECK(stage.lost(hostile) == "");
  Words many;
  for (int i = 0; i < 1000; ++i) many.push_back("f" + std::to_string(i));
  CHECK(contains(stage.lost(many), "f0 was not written back"));
}

TEST_CASE("a test of an execute bit is reported for executable files that were sent and for files of the skill") {
  Stage stage;
  stage.script.source = "[ -x tools/lint.sh ] && [[ -x \"$DIR/own.sh\" ]] && test -x \"$(command -v git)\"";
  CHECK(stage.unnoticed() == "");
  stage.dir.write("tools/lint.sh", "x");
  stage.sent = {"tools/lint.sh"};
  CHECK(stage.unnoticed() == "");  // the file is not executable outside, either
  REQUIRE(::chmod((stage.dir.path() + "/tools/lint.sh").c_str(), 0755) == 0);
  CHECK(stage.unnoticed() ==
        "the script tests whether tools/lint.sh is executable, and in the sandbox no file of the workspace or of the "
        "skill is (noexec); test with -f, and start it with its interpreter, as in `bash tools/lint.sh`");
  stage.sent.clear();
  CHECK(contains(stage.unnoticed(), "the script tests for tools/lint.sh, which is in the workspace and is not sent"));
  stage.script.lib = {{"own.sh", 0755, "true\n"}};
  CHECK(contains(stage.unnoticed(), "the script tests whether own.sh is executable"));
}

TEST_CASE("a program that uses the name of the current directory") {
  for (const char* text : {"name=$(basename \"$PWD\")", "n=${PWD##*/}", "basename `pwd`"}) {
    Stage stage;
    stage.script.source = text;
    CHECK(contains(stage.unnoticed(), "which is `work` in the sandbox and `" +
                                          stage.dir.path().substr(stage.dir.path().rfind('/') + 1) + "` here"));
  }
  Stage data;
  data.script.source = "echo \"$1\"";
  data.input = JsonValue(Json{{"title", "basename $PWD"}});
  CHECK(data.unnoticed() == "");
}

TEST_CASE("files that are in the way: those of the answer that the workspace has and that were not sent") {
  Stage stage;
  stage.script.source = "echo x > .out/a";
  stage.input = json(R"({"output": "report.md"})");
  const auto conflicts = [&] { return stage.from([](Advice& advice) { return advice.conflicts(); }); };
  for (const char* path : {"report.md", "new.md", "had.md", ".env", ".out/a", "a/b"})
    stage.answer.files.push_back({path, 0644, "x"});
  CHECK(conflicts() == "");
  for (const char* path : {"report.md", "had.md", ".env", ".out/a", "a/b/c"}) stage.dir.write(path, "x");
  stage.sent = {"had.md"};
  CHECK(conflicts() ==
        "the script has written report.md, which is in the workspace and is not sent to the sandbox, so that band does "
        "not replace it; write in test/BAND.md:  allow: {read: [\"{output}\"]}\n"
        "the script has written .out/a, which is in the workspace and is not sent to the sandbox, so that band does "
        "not replace it; write in test/BAND.md:  allow: {read: [\"{output}\", \"./.out/a\"]} (it has the line of "
        "another message, too: write only this one)");
}

TEST_CASE("a data file and a comment get no line for files of the home directory") {
  Stage stage;
  const TempDir home;
  stage.home = home.path();
  home.write(".ssh/id_rsa", "x");
  home.write("notes.txt", "x");
  stage.reader = Reader::CommandLine;
  stage.command = {"bash", "-c", "cat conf.json"};
  stage.dir.write("conf.json", R"({"a": ")" + home.path() + R"(/.ssh/id_rsa"})");
  stage.sent = {"conf.json"};
  CHECK(stage.unnoticed() == "");
  stage.dir.write("conf.json", R"({"a": ")" + home.path() + R"(/notes.txt", "b": ")" + stage.dir.path() + R"(/x"})");
  CHECK(stage.unnoticed() == "conf.json names " + home.path() + "/notes.txt, which the sandbox does not have");
  stage.sent.clear();
  stage.command = {"bash", "-c", "# uses ~/.ssh/id_rsa\ntrue"};
  CHECK(stage.unnoticed() == "");
  stage.command = {"bash", "-c", "cat ~/.ssh/id_rsa || true"};
  CHECK(contains(stage.unnoticed(), "the script names ~/.ssh/id_rsa"));
  CHECK_FALSE(contains(stage.unnoticed(), "cp -r"));
}

TEST_CASE("a dot is a path only for programs of which it is one") {
  Stage stage;
  stage.reader = Reader::CommandLine;
  stage.dir.write("data.json", "x");
  for (const Words& command : std::vector<Words>{{"jq", "."}, {"grep", ".", "x"}, {"bash", "-c", "true", "."}}) {
    stage.command = command;
    CHECK(stage.unnoticed() == "");
  }
  stage.command = {"find", "."};
  CHECK(stage.unnoticed() == ". names the workspace, of which no file is sent to the sandbox; add `--read .`");
}

TEST_CASE("a path with .. that is in the workspace gets the flag of its file") {
  Stage stage;
  stage.reader = Reader::CommandLine;
  stage.dir.write("lib.sh", "x");
  stage.dir.write("sub/a.sh", "x");
  stage.sent = {"sub/a.sh"};
  stage.command = {"bash", "-c", "cd sub; . ../lib.sh"};
  CHECK(!contains(stage.hints("bash: line 1: ../lib.sh: No such file or directory\n"), "outside of the workspace"));
}

TEST_CASE("git: a repository and a working tree that were not sent") {
  const auto stage_of = [](Stage& stage, const char* argv, int status) {
    stage.reader = Reader::CommandLine;
    stage.script.source = "";
    stage.command = {"bash", "-c", "git"};
    stage.dir.write(".git/HEAD", "x");
    stage.dir.write("a.txt", "x");
    const std::string details = std::string(R"({"argv": )") + argv + R"(, "status": )" + std::to_string(status) + "}";
    stage.ledger("command", details.c_str(), "git exited " + std::to_string(status));
  };
  Stage clone, failed, status, complete, log;
  stage_of(clone, R"(["git", "-C", "/tmp/r", "status"])", 0);
  CHECK(clone.unnoticed() == "");  // for another repository
  stage_of(failed, R"(["git", "describe"])", 128);
  CHECK(failed.unnoticed() ==
        "git failed, and .git of the workspace is not sent to the sandbox; if git needs it, add `--read .git/`");
  stage_of(status, R"(["git", "--no-pager", "-C", ".", "status"])", 0);
  status.sent = {".git/HEAD"};
  CHECK(contains(status.unnoticed(),
                 "git takes the others, if they are tracked, for deleted; if it needs them, add "
                 "`--read .`"));
  stage_of(complete, R"(["git", "status"])", 0);
  complete.sent = {".git/HEAD", "a.txt"};
  CHECK(complete.unnoticed() == "");
  stage_of(log, R"(["git", "log"])", 0);
  log.sent = {".git/HEAD"};
  CHECK(log.unnoticed() == "");
}

TEST_CASE("a note about a refusal gets the line that allows the action") {
  Stage stage;
  stage.reader = Reader::CommandLine;
  stage.script.source = "";
  stage.command = {"bash", "-c", "gh pr list; curl https://a.example/x"};
  stage.ledger("not-found", R"({"argv": ["gh", "pr", "list"]})", "not found: gh pr list");
  stage.ledger("not-found", R"({"argv": ["evil"]})", "not found: evil");
  const auto allowing = [&](std::string_view text) {
    return stage.from([&](Advice& advice) { return advice.allowing({text}); });
  };
  CHECK(allowing("not found: gh pr list") == "; add `--cli 'gh pr list'`");
  CHECK(allowing("not found: evil") == kFromData);
  CHECK(allowing("refused 2 packets (no rule of allow.net), 2 times") == "; for a.example add `--net a.example`");
  CHECK(allowing("another text") == "");
  stage.command[2] += "; # @dataclass, see https://b.example";
  CHECK(allowing("refused 2 packets (no rule of allow.net)") ==
        "; for a.example add `--net a.example`; for b.example add `--net b.example`");
  stage.answer.stderr_log = "getaddrinfo EAI_AGAIN b.example\n";
  CHECK(allowing("refused 2 packets (no rule of allow.net)") == "; for b.example add `--net b.example`");
  stage.answer.stderr_log = "";
  stage.command[2] += " https://c.example https://d.example";
  CHECK(allowing("refused 2 packets (no rule of allow.net)") == "");  // which one is not known
}

TEST_CASE("paths that a shell text makes of variables and loops are found") {
  Stage stage;
  for (const char* name : {"data/config.json", "memory/a.md", "skills/a/SKILL.md", ".tool/x/SKILL.md"})
    stage.dir.write(name, "x");
  stage.reader = Reader::CommandLine;
  const auto found = [&](const std::string& code) {
    stage.command = {"bash", "-c", code};
    return stage.unnoticed();
  };
  const std::string config = "the script tests for data/config.json, which is in the workspace";
  CHECK(contains(found("WS=\"${MY_WS:-.}\"\nCONFIG=\"$WS/data/config.json\"\nif [ -f \"$CONFIG\" ]; then :; fi"),
                 config));
  CHECK(contains(found("DIR=data\n[[ -f ${DIR}/config.json ]]"), config));
  CHECK(contains(found("for c in .tool/x; do [ -f \"$c/SKILL.md\" ] && echo; done"), "tests for .tool/x/SKILL.md"));
  CHECK(contains(found("SRC=skills\nfor d in \"$SRC\"/*; do :; done"),
                 "loops over the entries of skills, a directory of the workspace that is not sent to the sandbox; add "
                 "`--read skills/`"));
  CHECK(found("[ -f \"$UNKNOWN/config.json\" ]; [ -f \"$(date)/config.json\" ]; for d in *.md; do :; done") == "");
}

TEST_CASE("files of the caller's home directory that the script names are found, and those of shells are not") {
  Stage stage;
  const TempDir home;
  for (const char* name : {".tool/db", ".bashrc", ".cache/x"}) home.write(name, "x");
  stage.home = home.path();
  stage.reader = Reader::CommandLine;
  const std::string found = "the script names ~/.tool/db, which your home directory has";
  for (const char* code :
       {"ls ~/.tool/db; . ~/.bashrc; ls ~/.cache/x ~/.missing", "cat \"${HOME}/.tool/db\" 2>/dev/null"}) {
    stage.command = {"bash", "-c", code};
    CHECK(contains(stage.unnoticed(), found));
  }
  stage.command = {"node", "-e", "fs.existsSync(process.env.HOME + '/.tool/db')"};
  CHECK(contains(stage.unnoticed(), found));
  stage.command = {"bash", "-c", "ls ~/.bashrc ~/.cache/x ~/.missing ~/../x"};
  CHECK(stage.unnoticed() == "");
}

TEST_CASE("a script that lists the workspace, and paths in /tmp and of the workspace, are found") {
  Stage stage;
  stage.dir.write("a.txt", "x");
  stage.script.source = "cd \"${1:-.}\"; find . -name '*.txt'";
  CHECK(contains(stage.unnoticed(),
                 "no file of the workspace is sent to the sandbox; if it needs them, write in "
                 "test/BAND.md:  allow: {read: [\"./**\"]}"));
  stage.sent = {"a.txt"};
  CHECK(stage.unnoticed() == "");
  stage.input = json(R"({"output": "/tmp/out.md"})");
  CHECK(contains(stage.unnoticed(), "`output` names /tmp/out.md: the sandbox has a /tmp of its own"));
  Stage own;
  own.input = JsonValue(Json{{"out", own.dir.path("out")}});
  CHECK(own.hints("mkdir: cannot create directory '/tmp': Read-only file system\n")
            .starts_with("`out` names " + own.dir.path("out") +
                         ", which is in the workspace: in the sandbox it is ./out"));
  Stage git;
  git.reader = Reader::CommandLine;
  git.command = {"bash", "-c", "true"};
  git.ledger("command", dump_json(Json{{"argv", {"git", "-C", git.dir.path()}}, {"status", 1}}).c_str(),
             "git exited 1");
  CHECK(contains(git.unnoticed(),
                 "git failed with the path " + git.dir.path() + ": in the sandbox the workspace is /work"));
}

TEST_CASE("variables: a level of a message is not one, and values that are not secrets are not masked") {
  Stage stage;
  stage.script.source = "[ -n \"$API_TOKEN\" ] || echo '[ERROR] API_TOKEN not set'; echo ${REGION:-eu} $ERROR";
  CHECK(stage.hints("[ERROR] API_TOKEN not set\n") ==
        "the script reads the variable API_TOKEN, which your environment does not have: set it, and write in "
        "test/BAND.md:  "
        "env: [API_TOKEN]");
  stage.variables = {"REGION"};
  CHECK(contains(stage.unnoticed(), "env: {REGION: {required: false, secret: false}}"));
}

TEST_CASE("the hint for a repository has the files that git would take for deleted") {
  Stage stage;
  stage.script.source = "git add .";
  stage.dir.write(".git/HEAD", "x");
  stage.dir.write("a.txt", "x");
  CHECK(stage.hints("fatal: not a git repository\n") ==
        ".git is in the workspace and is not sent to the sandbox; write in test/BAND.md:  allow: {read: "
        "[\"./.git/**\"]}; git "
        "takes files that are not sent for deleted, so if it uses them, too, write in test/BAND.md:  allow: {read: "
        "[\"./.git/**\", \"./**\"]} (it has the line of another message, too: write only this one)");
}

TEST_CASE("a variable that the script sets for a command, and that the band does not declare, is named") {
  Stage stage;
  stage.script.source = "CL=1 TOOL_KEY=2 python3 -";
  for (const char* name : {"CL", "TOOL_KEY", "OTHER"})
    stage.ledger("env", dump_json(Json{{"variable", name}}).c_str(), "not passed");
  CHECK(stage.hints("KeyError: 'CL'\nKeyError: 'TOOL_KEY'\n") ==
        "the script sets CL, TOOL_KEY for a command, which gets only declared variables; write in test/BAND.md:  env: "
        "{CL: "
        "{required: false, secret: false}, TOOL_KEY: {required: false}}");
  stage.reader = Reader::CommandLine;
  stage.command = {"bash", "-c", "CL=1 python3 -"};
  CHECK(stage.hints("KeyError: 'CL'\n") ==
        "the script sets CL for a command, which gets only declared variables; add `--band FILE`, with a FILE of four "
        "lines: "
        "`---`, `band: run`, `env: {CL: {required: false, secret: false}}`, `---`");
  CHECK(stage.hints("another error\n") == "");
}
