// What learn leaves to a person, and never tries.
#include <doctest/doctest.h>

#include "schemas/core/join.h"
#include "schemas/core/json_text.h"
#include "tests/pure/client/client_test.h"
#include "tests/pure/client/learn/learner_stage.h"

using namespace band;
using namespace band::client;
using namespace band::client::learn;
using namespace band::test;

TEST_CASE("a hidden file that a script wrote is never opened by that, whether it is there or not") {
  Stage stage;
  stage.files = {".env", "conf/.keys/a.pem"};
  Learner learner = stage.learner();
  Told told;
  told.answer.not_written = {".env", ".new", "conf/.keys/a.pem", "conf/.keys/b.pem"};
  CHECK(!observe(learner, 1, told, Json{{"name", ".env"}}));
  CHECK(learner.lines().empty());
  CHECK(decisions_of(learner) == Texts{R"(read: [{path: "./.env", optional: true}])",
                                       R"(read: [{path: "./conf/.keys/a.pem", optional: true}])", "write: [\"./.env\"]",
                                       "write: [\"./.new\"]", "write: [\"./conf/.keys/a.pem\"]",
                                       "write: [\"./conf/.keys/b.pem\"]"});
  CHECK(trial_of(learner).read.opened.empty());
  Learner named = stage.learner();
  CHECK(observe(named, 1, told, Json{{"output", ".env"}}));
  CHECK(shown(named.lines()) == Texts{"allow.read {output} optional", "allow.write {output}"});
}

TEST_CASE("patterns of the shell that name hidden files, and hidden directories, are for a person to decide") {
  Stage stage;
  stage.source = "cat ./.en*\nfind .ssh -name '*'\nfind . -name '.e*'\n";
  stage.files = {".env", ".ssh/id", ".aws/key"};
  Learner learner = stage.learner();
  CHECK(!observe(learner, 1, Told().failed("ls: .aws: No such file or directory\n")));
  CHECK(learner.lines().empty());
  CHECK(decisions_of(learner) ==
        Texts{"read: [\"./**/.e*\"]", "read: [\"./.aws/**\"]", "read: [\"./.en*\"]", "read: [\"./.ssh/**/*\"]"});
}

TEST_CASE("a default of the schema is the author's: a hidden file that it names is not opened, a caller's value is") {
  Stage stage;
  stage.files = {".env", "a.txt", "b.txt"};
  stage.properties = {"path", "list"};
  stage.source = "cat .env\n";
  const Told told = Told().failed("cat: .env: No such file or directory\n");
  const Json none = Json::object(), input = {{"path", "./.env"}, {"list", {"a.txt", ".//.env"}}};
  Learner learner = stage.learner();
  CHECK(learner.observe({1, 0, input, none, told.evidence()}));
  CHECK(shown(learner.lines()) == Texts{"allow.read ./a.txt"});
  CHECK(decisions_of(learner) == Texts{"read: [\"./.env\"]"});
  // Where the caller names it in one input, the input that leaves it to the default does not get it.
  Learner both = stage.learner();
  const Json given = {{"path", ".env"}}, defaults = {{"path", ".env"}};
  CHECK(both.observe({1, 0, given, given, told.evidence()}));
  CHECK(shown(both.lines()) == Texts{"allow.read {path}"});
  std::vector<Watch> watched;
  CHECK(both.trial(defaults, none, 1, watched).read.opened.empty());
  CHECK(both.trial(given, given, 0, watched).read.opened.size() == 1);
  // Behind more values than are looked at.
  Json many = {{"list", Json::array()}};
  for (int i = 0; i < 2'000; ++i) many["list"].push_back("a.txt");
  many["list"].push_back(".env");
  Learner long_list = stage.learner();
  CHECK(long_list.observe({1, 0, many, none, told.evidence()}));
  CHECK(shown(long_list.lines()) == Texts{"allow.read ./a.txt"});
  // One that is not hidden is a property like any other.
  Learner plain = stage.learner();
  CHECK(plain.observe({1, 0, Json{{"path", "b.txt"}}, none, Told().failed().evidence()}));
  CHECK(shown(plain.lines()) == Texts{"allow.read {path}"});
}

TEST_CASE("several written files are one line with a warning, and so is the read beside it") {
  Stage stage;
  stage.files = {"old.pem", "other.pem"};
  Learner learner = stage.learner();
  Told told;
  told.answer.not_written = {"new.pem", "old.pem"};
  CHECK(observe(learner, 1, told));
  CHECK(shown(learner.lines()) == Texts{"allow.read ./*.pem optional", "allow.write ./*.pem"});
  CHECK(decisions_of(learner).empty());
  for (const Line& line : learner.lines()) CHECK(line.warning == kWideGroup);
  Learner slow = stage.learner();
  Told first, second;
  first.answer.not_written = {"out/a.csv"};
  second.answer.not_written = {"out/b.csv"};
  CHECK(observe(slow, 1, first));
  CHECK(observe(slow, 2, second));
  CHECK(shown(slow.lines()) == Texts{"allow.read ./out/*.csv optional", "allow.write ./out/*.csv"});
  for (const Line& line : slow.lines()) CHECK(line.warning == kWideGroup);
}

TEST_CASE("a name with a quote or a control character is one text in what a person is to write") {
  Stage stage;
  const std::string odd = ".a\"], write: [\"./**";
  Learner learner = stage.learner();
  Told told;
  told.answer.not_written = {odd, ".\u202Eb"};
  CHECK(!observe(learner, 1, told));
  CHECK(decisions_of(learner) ==
        Texts{"write: [\"./.\\u202eb\"]", "write: [\"./.a\\\"\\\\], write: \\\\[\\\"./\\\\*\\\\*\"]"});
}

TEST_CASE("paths of the machine and variables are for a person to decide, and never tried") {
  Stage stage;
  stage.files = {".env"};
  stage.source =
      "set -u\ncat .env\necho \"$API_TOKEN\" \"${MAYBE:-x}\" \"$HOME\" \"$INPUT_PATH\" \"$local_name\" \"$SECONDS\"\n";
  Learner learner = stage.learner();
  CHECK(!observe(learner, 1,
                 Told().failed("cat: /srv/data/x: No such file or directory\ncat: /tmp/y: No such file or directory\n"
                               "run.sh: line 2: OTHER_TOKEN: unbound variable\n")));
  CHECK(learner.lines().empty());
  CHECK(decisions_of(learner) ==
        Texts{"env: {API_TOKEN: {}}", "env: {OTHER_TOKEN: {}}", "read: [\"./.env\"]", "read: [\"/srv/data/x\"]"});
  const Rules rules = trial_of(learner);
  CHECK(rules.read.opened.empty());
  CHECK(rules.env.empty());
}

TEST_CASE("a star for what the ledger does not show is for a person to decide, unless the caller's input has it") {
  for (const std::string& hidden : {std::string("[masked]"), escaped("a\nb"), std::string("x=[masked]")}) {
    CAPTURE(hidden);
    Learner learner = Stage{}.learner();
    CHECK(!observe(learner, 1, Told().failed().not_found({"gh", "api", hidden})));
    CHECK(learner.lines().empty());
    CHECK(decisions_of(learner) == Texts{hidden == "[masked]"     ? "cli: [\"gh api ''*\"]"
                                         : hidden == "x=[masked]" ? "cli: [\"gh api x=*\"]"
                                                                  : "cli: [\"gh api a*b\"]"});
    CHECK(learner.proposal(1, false).decisions.at(0).reason.find("WIDE") != std::string::npos);
  }
  const Json body = {{"body", "a\nb"}}, none = Json::object();
  Learner given = Stage{}.learner();
  CHECK(observe(given, 1, Told().failed().not_found({"gh", "api", escaped("a\nb")}), body));
  CHECK(shown(given.lines()) == Texts{"allow.cli gh api ''*"});
  Learner defaults = Stage{}.learner();  // the skill's author has written it
  CHECK(!defaults.observe({1, 0, body, none, Told().failed().not_found({"gh", "api", escaped("a\nb")}).evidence()}));
  CHECK(defaults.lines().empty());
}

TEST_CASE("a line that another band closes is in no run and in no proposal, and is named with who closes it") {
  Stage stage;
  stage.files = {"a.txt", "b.txt"};
  std::vector<std::string> asked;
  stage.closed_by = [&](const Line& line, std::size_t input) -> std::string {
    asked.push_back(line.domain + " " + line.pattern + " " + std::to_string(input) + " " + join(line.argv, " "));
    return line.pattern == "git log" || line.pattern == "./a.txt" || line.pattern == "./out.txt" ? "write in base" : "";
  };
  Learner learner = stage.learner();
  Told told = Told().failed("cat: a.txt: No such file or directory\ncat: b.txt: No such file or directory\n");
  told.not_found({"git", "log"});
  CHECK(observe(learner, 1, told));
  CHECK(shown(learner.lines()) == Texts{"allow.read ./b.txt"});
  CHECK(asked == Texts{"cli git log 0 git log", "read ./a.txt 0 ", "read ./b.txt 0 "});
  // The same again is no change, and is asked about once.
  CHECK(!observe(learner, 2, Told().failed().not_found({"git", "log"})));
  CHECK(asked.size() == 3);
  CHECK(trial_of(learner).cli.opened.empty());
  const Proposal proposal = learner.proposal(1, false);
  REQUIRE(proposal.closed.size() == 2);
  CHECK(proposal.closed[0].pattern == "git log");
  CHECK(proposal.closed[0].run == 1);
  CHECK(proposal.closed[0].by == "write in base");
  CHECK(proposal.closed[1].pattern == "./a.txt");
  // A written file goes with the read beside it.
  Told writes;
  writes.answer.not_written = {"out.txt"};
  Learner writer = stage.learner();
  CHECK(!observe(writer, 1, writes));
  CHECK(writer.lines().empty());
}
