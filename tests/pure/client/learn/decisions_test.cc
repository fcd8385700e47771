// Lines that learn leaves to a person, and never tries.
#include <doctest/doctest.h>

#include "schemas/core/join.h"
#include "schemas/core/json_text.h"
#include "tests/pure/client/client_test.h"
#include "tests/pure/client/learn/learner_stage.h"

using namespace band;
using namespace band::client;
using namespace band::client::learn;
using namespace band::test;

TEST_CASE("a hidden file is not opened because the script wrote it, whether it exists or not") {
  Stage stage;
  stage.files = {".env", "conf/.keys/a.pem"};
  Learner learner = stage.learner();
  RunOutcome outcome;
  outcome.answer.not_written = {".env", ".new", "conf/.keys/a.pem", "conf/.keys/b.pem"};
  CHECK(!observe(learner, 1, outcome, Json{{"name", ".env"}}));
  CHECK(learner.lines().empty());
  CHECK(decisions_of(learner) == Texts{R"(read: [{path: "./.env", optional: true}])",
                                       R"(read: [{path: "./conf/.keys/a.pem", optional: true}])", "write: [\"./.env\"]",
                                       "write: [\"./.new\"]", "write: [\"./conf/.keys/a.pem\"]",
                                       "write: [\"./conf/.keys/b.pem\"]"});
  CHECK(trial_of(learner).read.opened.empty());
  Learner named = stage.learner();
  CHECK(!observe(named, 1, outcome, Json{{"output", ".env"}}));
  CHECK(shown(named.lines()) == Texts{});
  CHECK(decisions_of(named) == decisions_of(learner));
}

TEST_CASE("a person decides about shell patterns that name hidden files, and about hidden directories") {
  Stage stage;
  stage.source = "cat ./.en*\nfind .ssh -name '*'\nfind . -name '.e*'\n";
  stage.files = {".env", ".ssh/id", ".aws/key"};
  Learner learner = stage.learner();
  CHECK(!observe(learner, 1, RunOutcome().failed("ls: .aws: No such file or directory\n")));
  CHECK(learner.lines().empty());
  CHECK(decisions_of(learner) ==
        Texts{"read: [\"./**/.e*\"]", "read: [\"./.aws/**\"]", "read: [\"./.en*\"]", "read: [\"./.ssh/**/*\"]"});
}

TEST_CASE("a hidden file that a schema's default names is not opened, one that the caller names is") {
  Stage stage;
  stage.files = {".env", "a.txt", "b.txt"};
  stage.properties = {"path", "list"};
  stage.source = "cat .env\n";
  const RunOutcome outcome = RunOutcome().failed("cat: .env: No such file or directory\n");
  const Json none = Json::object(), input = {{"path", "./.env"}, {"list", {"a.txt", ".//.env"}}};
  Learner learner = stage.learner();
  CHECK(learner.observe({1, 0, input, none, outcome.evidence()}));
  CHECK(shown(learner.lines()) == Texts{"allow.read ./a.txt"});
  CHECK(decisions_of(learner) == Texts{"read: [\"./.env\"]"});
  // If the caller names it in one input, another input with the default does not get it.
  Learner both = stage.learner();
  const Json given = {{"path", ".env"}}, defaults = {{"path", ".env"}};
  CHECK(both.observe({1, 0, given, given, outcome.evidence()}));
  CHECK(shown(both.lines()) == Texts{"allow.read {path}"});
  std::vector<Watch> watched;
  CHECK(both.trial(defaults, none, 1, watched).read.opened.empty());
  CHECK(both.trial(given, given, 0, watched).read.opened.size() == 1);
  // After more values than are read.
  Json many = {{"list", Json::array()}};
  for (int i = 0; i < 2'000; ++i) many["list"].push_back("a.txt");
  many["list"].push_back(".env");
  Learner long_list = stage.learner();
  CHECK(long_list.observe({1, 0, many, none, outcome.evidence()}));
  CHECK(shown(long_list.lines()) == Texts{"allow.read ./a.txt"});
  // A file that is not hidden is opened by its property.
  Learner plain = stage.learner();
  CHECK(plain.observe({1, 0, Json{{"path", "b.txt"}}, none, RunOutcome().failed().evidence()}));
  CHECK(shown(plain.lines()) == Texts{"allow.read {path}"});
}

TEST_CASE("several written files are one line with a warning, and their reads are one line, too") {
  Stage stage;
  stage.files = {"old.pem", "other.pem"};
  Learner learner = stage.learner();
  RunOutcome outcome;
  outcome.answer.not_written = {"new.pem", "old.pem"};
  CHECK(observe(learner, 1, outcome));
  CHECK(shown(learner.lines()) == Texts{"allow.read ./*.pem optional", "allow.write ./*.pem"});
  CHECK(decisions_of(learner).empty());
  for (const Line& line : learner.lines()) CHECK(line.warning == kWideGroup);
  Learner slow = stage.learner();
  RunOutcome first, second;
  first.answer.not_written = {"out/a.csv"};
  second.answer.not_written = {"out/b.csv"};
  CHECK(observe(slow, 1, first));
  CHECK(observe(slow, 2, second));
  CHECK(shown(slow.lines()) == Texts{"allow.read ./out/*.csv optional", "allow.write ./out/*.csv"});
  for (const Line& line : slow.lines()) CHECK(line.warning == kWideGroup);
}

TEST_CASE("a name with a quote or a control character is one string in the line for a person") {
  Stage stage;
  const std::string odd = ".a\"], write: [\"./**";
  Learner learner = stage.learner();
  RunOutcome outcome;
  outcome.answer.not_written = {odd, ".\u202Eb"};
  CHECK(!observe(learner, 1, outcome));
  CHECK(decisions_of(learner) ==
        Texts{"write: [\"./.\\u202eb\"]", "write: [\"./.a\\\"\\\\], write: \\\\[\\\"./\\\\*\\\\*\"]"});
}

TEST_CASE("a person decides about paths of the machine and variables, which are never tried") {
  Stage stage;
  stage.files = {".env"};
  stage.source =
      "set -u\ncat .env\necho \"$API_TOKEN\" \"${MAYBE:-x}\" \"$HOME\" \"$INPUT_PATH\" \"$local_name\" \"$SECONDS\"\n";
  Learner learner = stage.learner();
  CHECK(!observe(
      learner, 1,
      RunOutcome().failed("cat: /srv/data/x: No such file or directory\ncat: /tmp/y: No such file or directory\n"
                          "run.sh: line 2: OTHER_TOKEN: unbound variable\n")));
  CHECK(learner.lines().empty());
  CHECK(decisions_of(learner) ==
        Texts{"env: {API_TOKEN: {}}", "env: {OTHER_TOKEN: {}}", "read: [\"./.env\"]", "read: [\"/srv/data/x\"]"});
  const Rules rules = trial_of(learner);
  CHECK(rules.read.opened.empty());
  CHECK(rules.env.empty());
}

TEST_CASE("a person decides about a star for text that neither the ledger nor the input has") {
  for (const std::string& hidden : {std::string("[masked]"), escaped("a\nb"), std::string("x=[masked]")}) {
    CAPTURE(hidden);
    Learner learner = Stage{}.learner();
    CHECK(!observe(learner, 1, RunOutcome().failed().not_found({"gh", "api", hidden})));
    CHECK(learner.lines().empty());
    CHECK(decisions_of(learner) == Texts{hidden == "[masked]"     ? "cli: [\"gh api ''*\"]"
                                         : hidden == "x=[masked]" ? "cli: [\"gh api x=*\"]"
                                                                  : "cli: [\"gh api a*b\"]"});
    CHECK(learner.proposal(1, false).decisions.at(0).reason.find("WIDE") != std::string::npos);
  }
  const Json body = {{"body", "a\nb"}}, none = Json::object();
  Learner given = Stage{}.learner();
  CHECK(observe(given, 1, RunOutcome().failed().not_found({"gh", "api", escaped("a\nb")}), body));
  CHECK(shown(given.lines()) == Texts{"allow.cli gh api ''*"});
  Learner defaults = Stage{}.learner();  // the skill's author has written it
  CHECK(!defaults.observe(
      {1, 0, body, none, RunOutcome().failed().not_found({"gh", "api", escaped("a\nb")}).evidence()}));
  CHECK(defaults.lines().empty());
}

TEST_CASE("a line that another band closes is not tried or proposed, and is listed with that band") {
  Stage stage;
  stage.files = {"a.txt", "b.txt"};
  std::vector<std::string> asked;
  stage.closed_by = [&](const Line& line, std::size_t input) -> std::string {
    asked.push_back(line.domain + " " + line.pattern + " " + std::to_string(input) + " " + join(line.argv, " "));
    return line.pattern == "git log" || line.pattern == "./a.txt" || line.pattern == "./out.txt" ? "write in base" : "";
  };
  Learner learner = stage.learner();
  RunOutcome outcome =
      RunOutcome().failed("cat: a.txt: No such file or directory\ncat: b.txt: No such file or directory\n");
  outcome.not_found({"git", "log"});
  CHECK(observe(learner, 1, outcome));
  CHECK(shown(learner.lines()) == Texts{"allow.read ./b.txt"});
  CHECK(asked == Texts{"cli git log 0 git log", "read ./a.txt 0 ", "read ./b.txt 0 "});
  // The same line again is not a change, and closed_by is called once.
  CHECK(!observe(learner, 2, RunOutcome().failed().not_found({"git", "log"})));
  CHECK(asked.size() == 3);
  CHECK(trial_of(learner).cli.opened.empty());
  const Proposal proposal = learner.proposal(1, false);
  REQUIRE(proposal.closed.size() == 2);
  CHECK(proposal.closed[0].pattern == "git log");
  CHECK(proposal.closed[0].run == 1);
  CHECK(proposal.closed[0].by == "write in base");
  CHECK(proposal.closed[1].pattern == "./a.txt");
  // A closed line of write is dropped with its line of read.
  RunOutcome writes;
  writes.answer.not_written = {"out.txt"};
  Learner writer = stage.learner();
  CHECK(!observe(writer, 1, writes));
  CHECK(writer.lines().empty());
}

TEST_CASE("a person decides about a command that only failed and that the script does not need") {
  const Texts call = {"git", "cat-file", "-t", "a1"};
  const std::string pattern = "git cat-file -t a1", origin(kWatchOrigin);
  const auto fails = [&](RunOutcome outcome) {
    return outcome.entry("command", {{"argv", call},
                                     {"denied", false},
                                     {"status", 128},
                                     {"rule", {{"section", "allow.cli"}, {"pattern", pattern}, {"origin", origin}}}});
  };
  for (const bool needed : {false, true}) {
    CAPTURE(needed);
    Learner learner = Stage{}.learner();
    CHECK(observe(learner, 1, RunOutcome().not_found(call).not_found({"git", "log"})));
    CHECK(shown(learner.lines()) == Texts{"allow.cli git cat-file -t a1", "allow.cli git log"});
    CHECK(learner.lines()[0].well_without == 1);
    // Its effect in this run is not known yet, because the next run opens more.
    CHECK(observe(learner, 2,
                  fails(RunOutcome()).net("refused", "api.example", 443).ran({"git", "log"}, "git log", origin)));
    CHECK(shown(learner.lines()).size() == 3);
    CHECK(observe(learner, 3,
                  fails(RunOutcome()).net("relayed", "api.example", 443).ran({"git", "log"}, "git log", origin)));
    CHECK(shown(learner.lines()) == Texts{"allow.cli git log", "allow.net api.example"});
    const RunOutcome without =
        needed ? RunOutcome().failed().not_found(call) : RunOutcome().not_found(call).ran({"git", "log"});
    CHECK(observe(learner, 4, without) == needed);
    const Proposal proposal = learner.proposal(1, true);
    if (needed) {  // restored permanently
      CHECK(shown(proposal.lines) ==
            Texts{"allow.cli git cat-file -t a1", "allow.cli git log", "allow.net api.example"});
      CHECK(proposal.decisions.empty());
      CHECK(!observe(learner, 5, fails(RunOutcome())));
      CHECK(learner.lines().size() == 3);
      continue;
    }
    CHECK(shown(proposal.lines) == Texts{"allow.cli git log", "allow.net api.example"});
    CHECK(proposal.lines[0].reason == "the script called it, and succeeded without it");  // and succeeds with it
    REQUIRE(proposal.decisions.size() == 1);
    CHECK(proposal.decisions[0].write == "cli: [\"git cat-file -t a1\"]");
    CHECK(proposal.decisions[0].reason.starts_with(
        "the script succeeded without this line (run 4), and the call failed in a run with this line: command "));
    CHECK(proposal.decisions[0].reason.ends_with(" (run 3)"));
    // Another input may succeed with it: it is tried once more.
    CHECK(observe(learner, 5, RunOutcome().not_found(call), Json::object(), 1));
    CHECK(!observe(learner, 6, RunOutcome().ran(call, pattern, origin), Json::object(), 1));
    CHECK(learner.proposal(2, true).decisions.empty());
    CHECK(learner.lines().size() == 3);
  }
}

TEST_CASE("after a run that sent data, a command that only failed stays, and is listed as not known") {
  const std::string origin(kWatchOrigin);
  Stage stage;
  stage.rules.net = domain({"api.example"});
  Learner learner = stage.learner();
  CHECK(observe(learner, 1, RunOutcome().failed().not_found({"gh", "api"})));
  const RunOutcome sent =
      RunOutcome()
          .net("relayed", "api.example", 443, 10)
          .entry("command", {{"argv", {"gh", "api"}},
                             {"denied", false},
                             {"status", 22},
                             {"rule", {{"section", "allow.cli"}, {"pattern", "gh api"}, {"origin", origin}}}});
  CHECK(!observe(learner, 2, sent));
  const Proposal proposal = learner.proposal(1, true);
  CHECK(shown(proposal.lines) == Texts{"allow.cli gh api"});
  CHECK(proposal.decisions.empty());
  CHECK(proposal.unknown ==
        Texts{"whether the script needs `gh api`: the calls that it allows failed, the script succeeded, and no "
              "further run could be made without it"});
}

TEST_CASE("four calls that only failed are one line, and are removed as one") {
  Learner learner = Stage{}.learner();
  const auto refused = [] {
    RunOutcome outcome;
    for (const char* name : {"A1", "B2", "C3", "D4"}) outcome.not_found({"gh", "api", name, "--x"});
    return outcome;
  };
  CHECK(observe(learner, 1, refused()));
  REQUIRE(shown(learner.lines()) == Texts{"allow.cli gh api * --x"});
  CHECK(learner.lines()[0].reason == "the script made 4 such calls, and succeeded without them");
  RunOutcome failed;
  for (const char* name : {"A1", "B2", "C3", "D4"})
    failed.entry(
        "command",
        {{"argv", {"gh", "api", name, "--x"}},
         {"denied", false},
         {"status", 1},
         {"rule", {{"section", "allow.cli"}, {"pattern", "gh api * --x"}, {"origin", std::string(kWatchOrigin)}}}});
  CHECK(observe(learner, 2, failed));
  CHECK(learner.lines().empty());
  CHECK(!observe(learner, 3, refused()));
  CHECK(decisions_of(learner) == Texts{R"(cli: ["gh api * --x"])"});
  CHECK(learner.proposal(1, true).decisions[0].reason.find("WIDE") != std::string::npos);
}

TEST_CASE("a failed command stays if the run failed, if another call succeeded, or if the band declares it") {
  const std::string origin(kWatchOrigin);
  const auto call = [&](RunOutcome outcome, unsigned status) {
    return outcome.entry("command", {{"argv", {"git", "log"}},
                                     {"denied", false},
                                     {"status", status},
                                     {"rule", {{"section", "allow.cli"}, {"pattern", "git log"}, {"origin", origin}}}});
  };
  for (const RunOutcome& outcome :
       {call(RunOutcome().failed(), 1), call(call(RunOutcome(), 1), 0), call(call(RunOutcome(), 0), 1)}) {
    Learner learner = Stage{}.learner();
    observe(learner, 1, RunOutcome().failed().not_found({"git", "log"}));
    CHECK(!observe(learner, 2, outcome));
    CHECK(shown(learner.lines()) == Texts{"allow.cli git log"});
    CHECK(learner.lines()[0].reason == "the script called it");
  }
  Stage stage;
  stage.rules.cli = domain({"git log"});
  stage.rules.cli.opened[0][0].origin = "t/BAND.md:3";
  Learner learner = stage.learner();
  const RunOutcome own = RunOutcome().entry(
      "command", {{"argv", {"git", "log"}},
                  {"denied", false},
                  {"status", 1},
                  {"rule", {{"section", "allow.cli"}, {"pattern", "git log"}, {"origin", "t/BAND.md:3"}}}});
  CHECK(!observe(learner, 1, own));
  CHECK(learner.proposal(1, true).removals.empty());
}
