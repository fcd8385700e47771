#include "client/learn/learner.h"

#include <doctest/doctest.h>

#include "tests/pure/client/client_test.h"
#include "tests/pure/client/learn/learner_stage.h"

using namespace band;
using namespace band::client;
using namespace band::client::learn;
using namespace band::test;

TEST_CASE("a refused action is open in the next run, and a run without refusals changes nothing") {
  Learner learner = Stage{}.learner();
  CHECK(observe(learner, 1, RunOutcome().failed().not_found({"git", "log", "-1"})));
  CHECK(shown(learner.lines()) == Texts{"allow.cli git log -1"});
  const Rules rules = trial_of(learner);
  REQUIRE(rules.cli.opened.size() == 1);
  CHECK(rules.cli.opened[0].size() == 1);
  CHECK(!observe(learner, 2, RunOutcome().ran({"git", "log", "-1"})));
  const Proposal proposal = learner.proposal(1, true);
  CHECK(shown(proposal.lines) == Texts{"allow.cli git log -1"});
  CHECK(proposal.lines[0].tried);
  CHECK(proposal.lines[0].run == 1);
}

TEST_CASE("rules that learn adds for evidence open nothing") {
  Stage stage;
  stage.files = {"a.txt"};
  Learner learner = stage.learner();
  CHECK(observe(learner, 1, RunOutcome().failed("FileNotFoundError: [Errno 2] No such file or directory: 'gh'\n")));
  std::vector<Watch> watched;
  const Rules rules = learner.trial(Json::object(), Json::object(), 0, watched);
  CHECK(watched.size() == 2);
  for (const Domain* domain : {&rules.cli, &rules.net}) {
    REQUIRE(domain->opened.size() == 1);
    REQUIRE(domain->opened[0].size() == 1);
    REQUIRE(domain->deny.size() == 1);
    CHECK(domain->opened[0][0].pattern == domain->deny[0].pattern);
  }
  CHECK(rules.cli.deny[0].pattern == "gh");
  CHECK(CliPattern::parse("gh")->as_deny().matches({"gh", "api", "x"}));
  // The next run shows the arguments: the line replaces the watch.
  CHECK(observe(
      learner, 2,
      RunOutcome().failed().entry(
          "command", {{"argv", {"gh", "api", "user"}},
                      {"denied", true},
                      {"rule", {{"section", "deny.cli"}, {"pattern", "gh"}, {"origin", std::string(kWatchOrigin)}}}})));
  CHECK(shown(learner.lines()) == Texts{"allow.cli gh api user"});
  CHECK(trial_of(learner).cli.deny.empty());
}

TEST_CASE("denied actions, and open actions that fail, are not proposed") {
  Stage stage;
  stage.rules.cli = domain({"git log"}, {"git push"});
  stage.rules.net = domain({"api.example"}, {"evil.example"});
  Learner learner = stage.learner();
  const RunOutcome outcome =
      RunOutcome()
          .failed()
          .entry("command", {{"argv", {"git", "push"}},
                             {"denied", true},
                             {"rule", {{"section", "deny.cli"}, {"pattern", "git push"}, {"origin", "t/BAND.md:2"}}}})
          .entry("net", {{"outcome", "refused"}, {"host", "evil.example"}, {"rule", {{"section", "deny.net"}}}})
          .net("refused", "api.example", 443);
  CHECK(!observe(learner, 1, outcome));
  CHECK(learner.lines().empty());
  CHECK(learner.proposal(1, false).unknown.size() == 3);
}

TEST_CASE("hosts have no port for 443 and 80, and a host that no run reached is removed") {
  Learner learner = Stage{}.learner();
  CHECK(observe(learner, 1, RunOutcome().failed().net("refused", "api.example", 0).net("refused", "api.example", 0)));
  CHECK(shown(learner.lines()) == Texts{"allow.net api.example"});
  CHECK(observe(learner, 2, RunOutcome().failed().net("refused", "api.example", 5432)));
  CHECK(shown(learner.lines()) == Texts{"allow.net api.example", "allow.net api.example:5432"});
  CHECK(observe(learner, 3, RunOutcome().net("relayed", "api.example", 5432, 10)));
  CHECK(shown(learner.lines()) == Texts{"allow.net api.example:5432"});
  CHECK(!observe(learner, 4, RunOutcome().net("relayed", "api.example", 5432, 10)));
}

TEST_CASE("a name that is only looked up is restored after its removal, and then kept") {
  Learner learner = Stage{}.learner();
  CHECK(observe(learner, 1, RunOutcome().failed().net("refused", "api.example", 0)));
  CHECK(observe(learner, 2, RunOutcome()));
  CHECK(learner.lines().empty());
  CHECK(observe(learner, 3, RunOutcome().failed().net("refused", "api.example", 0)));
  CHECK(shown(learner.lines()) == Texts{"allow.net api.example"});
  CHECK(!observe(learner, 4, RunOutcome()));
}

TEST_CASE("a file that the input names is a placeholder, and the kernel has to report its read") {
  Stage stage;
  stage.files = {"notes/a.md", "World"};
  Learner learner = stage.learner();
  const Json input = {{"path", "./notes/a.md"}, {"name", "World"}};
  CHECK(observe(learner, 1, RunOutcome().failed("cat: ./notes/a.md: No such file or directory\n"), input));
  CHECK(shown(learner.lines()) == Texts{"allow.read {path}"});
  const Rules rules = trial_of(learner, input);
  REQUIRE(rules.read.insist.size() == 1);
  CHECK(rules.read.insist[0].pattern == "{path}");
  CHECK(!observe(learner, 2, RunOutcome().read("notes/a.md"), input));
  CHECK(learner.lines().size() == 1);
  CHECK(trial_of(learner, input).read.insist.empty());
}

TEST_CASE("the line of a file that was not read is removed, unless the script fails without it") {
  Stage stage;
  stage.source = "cat config.json\ncat < other.txt\n";
  stage.files = {"config.json", "other.txt"};
  Learner learner = stage.learner();
  CHECK(observe(learner, 1, RunOutcome().failed()));
  CHECK(shown(learner.lines()) == Texts{"allow.read ./config.json", "allow.read ./other.txt"});
  RunOutcome half;
  half.read("config.json");
  half.answer.error = Error{.code = Code::InsistNotSatisfied, .doing = "not read"};
  CHECK(observe(learner, 2, half));
  CHECK(shown(learner.lines()) == Texts{"allow.read ./config.json"});
  CHECK(trial_of(learner).read.insist.empty());
  CHECK(observe(learner, 3, RunOutcome().failed("no other\n")));
  CHECK(shown(learner.lines()) == Texts{"allow.read ./config.json", "allow.read ./other.txt"});
  CHECK(trial_of(learner).read.insist.empty());
  CHECK(!observe(learner, 4, RunOutcome()));
}

TEST_CASE("written files are opened: one by its name, the input's by its property, several by their extension") {
  Stage stage;
  stage.files = {"report.txt"};
  Learner learner = stage.learner();
  RunOutcome outcome;
  outcome.answer.not_written = {"out/a.csv", "out/b.csv", "report.txt", "World-3.html",
                                ".hidden",   "named.md",  "x/.git/y"};
  CHECK(observe(learner, 1, outcome, Json{{"name", "World"}, {"output", "named.md"}}));
  CHECK(shown(learner.lines()) == Texts{"allow.read ./*-3.html optional", "allow.read ./out/*.csv optional",
                                        "allow.read ./report.txt optional", "allow.read {output} optional",
                                        "allow.write ./*-3.html", "allow.write ./out/*.csv", "allow.write ./report.txt",
                                        "allow.write {output}"});
  CHECK(decisions_of(learner) == Texts{"write: [\"./.hidden\"]"});
  CHECK(learner.proposal(1, false).unknown.size() == 1);
  Learner slow = stage.learner();
  RunOutcome first, second;
  first.answer.not_written = {"out/a.csv"};
  second.answer.not_written = {"out/b.csv"};
  CHECK(observe(slow, 1, first));
  CHECK(observe(slow, 2, second));
  CHECK(shown(slow.lines()) == Texts{"allow.read ./out/*.csv optional", "allow.write ./out/*.csv"});
}

TEST_CASE("patterns of the shell and of find, a directory, and a repository") {
  Stage stage;
  stage.source = "for f in data/*.csv; do :; done\nfind . -name '*.md'\necho README.txt\n";
  stage.files = {"data/a.csv", "deep/er/b.md", "README.txt", "src/x.c", ".git/HEAD"};
  Learner learner = stage.learner();
  CHECK(
      observe(learner, 1,
              RunOutcome().failed("grep: src: No such file or directory\nfatal: not a git repository (or any ...)\n")));
  CHECK(shown(learner.lines()) == Texts{"allow.read ./**/*.md", "allow.read ./data/*.csv", "allow.read ./src/**"});
  CHECK(decisions_of(learner) == Texts{"read: [\"./.git/**\"]"});  // .git/config may contain credentials
}

TEST_CASE("a command that ran for each of two inputs is insisted on; for one input nothing is") {
  for (const std::size_t inputs : {1u, 2u}) {
    Learner learner = Stage{}.learner();
    observe(learner, 1, RunOutcome().failed().not_found({"git", "log", "A1"}), {{"name", "A1"}});
    observe(learner, 2, RunOutcome().ran({"git", "log", "A1"}), {{"name", "A1"}});
    if (inputs == 2) CHECK(!observe(learner, 3, RunOutcome().ran({"git", "log", "B2"}), {{"name", "B2"}}, 1));
    CHECK(shown(learner.proposal(inputs, true).lines) ==
          Texts{inputs == 2 ? "insist.cli git log ''*" : "allow.cli git log ''*"});
  }
}

TEST_CASE("up to three calls are separate lines; a fourth call makes them one line with a warning") {
  Learner learner = Stage{}.learner();
  const auto call = [&](int number, const std::string& word) {
    return observe(learner, number, RunOutcome().failed().not_found({"gh", "api", word, "--x"}));
  };
  CHECK(call(1, "A1"));
  CHECK(decisions_of(learner).empty());
  CHECK(call(2, "B2"));
  CHECK(call(3, "C3"));
  CHECK(shown(learner.lines()) ==
        Texts{"allow.cli gh api A1 --x", "allow.cli gh api B2 --x", "allow.cli gh api C3 --x"});
  for (const Line& line : learner.lines()) CHECK(line.warning.empty());
  CHECK(decisions_of(learner) == Texts{R"(cli: ["gh api * --x"])"});  // a person may prefer that
  CHECK(call(4, "D4"));
  CHECK(shown(learner.lines()) == Texts{"allow.cli gh api * --x"});
  CHECK(learner.lines()[0].warning.find("allows any text there") != std::string::npos);
  CHECK(decisions_of(learner).empty());
  CHECK(!call(5, "E5"));  // open already
  // A line that also opens what another one opens replaces it.
  Learner covered = Stage{}.learner();
  observe(covered, 1, RunOutcome().failed().not_found({"gh", "api", "A1"}));
  observe(covered, 2, RunOutcome().failed().not_found({"gh", "api", "B2"}), Json{{"name", "B2"}});
  CHECK(shown(covered.lines()) == Texts{"allow.cli gh api ''*"});
}

TEST_CASE("each star has a warning") {
  struct Case {
    Texts argv;
    std::string pattern;
  };
  for (const Case& each :
       {Case{{"gh", "V1", "x"}, "gh * x"}, Case{{"gh", "issue", "V1", "x"}, "gh issue * x"},
        Case{{"gh", "issue", "V1"}, "gh issue ''*"}, Case{{"gh", "issue", "--title=V1"}, "gh issue --title=*"},
        Case{{"gh", "issue", "a-Val9-b"}, "gh issue a-*-b"}}) {
    CAPTURE(each.pattern);
    Learner learner = Stage{}.learner();
    observe(learner, 1, RunOutcome().failed().not_found(each.argv), Json{{"name", "V1"}, {"other", "Val9"}});
    REQUIRE(shown(learner.lines()) == Texts{"allow.cli " + each.pattern});
    CHECK(learner.lines()[0].warning.find(kWideValue) != std::string::npos);
  }
  Learner written = Stage{}.learner();
  RunOutcome outcome;
  outcome.answer.not_written = {"out/World-3.html"};
  observe(written, 1, outcome, Json{{"name", "World"}});
  REQUIRE(shown(written.lines()) == Texts{"allow.read ./out/*-3.html optional", "allow.write ./out/*-3.html"});
  for (const Line& line : written.lines()) CHECK(line.warning == kWideValue);
}

TEST_CASE("a value of three characters is found inside of words and file names, a shorter one is not") {
  for (const bool found : {false, true}) {
    const std::string value = found ? "Val" : "Va";
    Learner learner = Stage{}.learner();
    RunOutcome outcome = RunOutcome().not_found({"gh", "issue", "a-" + value + "-b"});
    outcome.answer.not_written = {"out/x-" + value + "-y.html"};
    CHECK(observe(learner, 1, outcome, Json{{"name", value}}));
    const std::string word = found ? "a-*-b" : "a-Va-b", file = found ? "./out/x-*-y.html" : "./out/x-Va-y.html";
    CHECK(shown(learner.lines()) ==
          Texts{"allow.cli gh issue " + word, "allow.read " + file + " optional", "allow.write " + file});
  }
}

TEST_CASE("a missing file that the input names is listed, until a run succeeds") {
  Learner learner = Stage{}.learner();
  const Json input = {{"path", "no/such.md"}, {"output", "new.md"}};  // the script would make `new.md`
  CHECK(!observe(learner, 1, RunOutcome().failed("cat: no/such.md: No such file or directory\n"), input));
  CHECK(learner.proposal(1, false).unknown ==
        Texts{"how the script works with an existing file: the input's `path` names ./no/such.md, and "
              "/home/me/work has no such file"});
  CHECK(!observe(learner, 2, RunOutcome(), input));
  CHECK(learner.proposal(1, true).unknown.empty());
}

TEST_CASE("the tried part of a settled proposal has only lines that runs had") {
  Learner learner = Stage{}.learner();
  observe(learner, 1, RunOutcome().failed().not_found({"git", "log"}));
  CHECK(!learner.lines()[0].tried);
  observe(learner, 2, RunOutcome().failed().ran({"git", "log"}));
  CHECK(!learner.lines()[0].tried);  // the run failed
  observe(learner, 3, RunOutcome().ran({"git", "log"}));
  observe(learner, 4, RunOutcome().ran({"git", "log"}), Json::object(), 1);
  const Proposal whole = learner.proposal(2, true), part = tried_part(whole);
  CHECK(shown(whole.lines) == Texts{"insist.cli git log"});
  CHECK(shown(part.lines) == Texts{"allow.cli git log"});
  CHECK(part.left_out == Texts{R"(insist: {cli: ["git log"]})"});
  Proposal gone = whole;
  gone.lines[0].tried = false;
  gone.removals.push_back({"allow", "net", "x.example", "t/BAND.md:4", "no run used this line"});
  const Proposal rest = tried_part(gone);
  CHECK(!rest.changes());
  CHECK(rest.left_out ==
        Texts{R"(insist: {cli: ["git log"]})", R"(without allow.net "x.example"  (t/BAND.md:4), which no run used)"});
}

TEST_CASE("wide lines have a warning") {
  Learner learner = Stage{}.learner();
  observe(learner, 1,
          RunOutcome().failed().not_found({"python3", "/band/skill/scripts/go/x.py"}).not_found({"git", "log"}));
  for (const Line& line : learner.lines()) CHECK(line.warning.empty() == (line.pattern == "git log"));
}

TEST_CASE("lines of the band that no run used are removed, if it governs only this script") {
  Stage stage;
  stage.rules.cli = domain({"git log", "gh api *"});
  stage.rules.net = domain({"api.example", "other.example"});
  stage.rules.read = domain({"./a.txt", "./b.txt", "./out.txt"});
  stage.rules.write = domain({"./out.txt", "./unused.txt"});
  for (Domain* domain : {&stage.rules.cli, &stage.rules.net, &stage.rules.read, &stage.rules.write})
    for (Rule& rule : domain->opened[0]) rule.origin = "t/BAND.md:3";
  stage.files = {"a.txt", "b.txt"};
  for (const bool shared : {false, true}) {
    stage.sharers = shared ? Texts{"t/other"} : Texts{};
    Learner learner = stage.learner();
    CHECK(trial_of(learner).read.insist.size() == (shared ? 0 : 2));
    RunOutcome outcome =
        RunOutcome().ran({"git", "log"}, "git log", "t/BAND.md:3").net("relayed", "api.example", 443, 5).read("a.txt");
    outcome.answer.files.push_back({"out.txt", 0644, "x"});
    if (!shared) outcome.answer.error = Error{.code = Code::InsistNotSatisfied, .doing = "b.txt was not read"};
    CHECK(observe(learner, 1, outcome) == !shared);
    CHECK(trial_of(learner).read.insist.empty());
    Texts gone;
    for (const Removal& removal : learner.proposal(1, true).removals)
      gone.push_back(removal.domain + " " + removal.pattern);
    CHECK(gone ==
          (shared ? Texts{} : Texts{"cli gh api *", "net other.example", "write ./unused.txt", "read ./b.txt"}));
    CHECK(learner.proposal(1, false).removals.empty());
  }
}

TEST_CASE("a placeholder without a file in any input stays and is not known; an unused one is removed") {
  Stage stage;
  stage.rules.read = domain({"{path}", "./cfg/*.yaml"});
  stage.rules.write = domain({"{output}"});
  for (Domain* domain : {&stage.rules.read, &stage.rules.write})
    for (Rule& rule : domain->opened[0]) rule.origin = "t/BAND.md:3";
  stage.files = {"a.txt", "b.txt"};
  const auto removed = [](const Learner& learner) {
    Texts gone;
    for (const Removal& removal : learner.proposal(1, true).removals)
      gone.push_back(removal.domain + " " + removal.pattern);
    return gone;
  };
  // Null and a missing file do not count as a file.
  for (const Json& input : {Json::object(), Json{{"path", nullptr}, {"output", nullptr}}, Json{{"path", "none.txt"}}}) {
    Learner without = stage.learner();
    CHECK(trial_of(without, input).read.insist.empty());
    CHECK(!observe(without, 1, RunOutcome(), input));
    CHECK(removed(without).empty());
    CHECK(
        without.proposal(1, true).unknown ==
        Texts{"whether the script writes what `{output}` allows (t/BAND.md:3): no input names a file by `output`; give "
              "an --input with that property to find out",
              "whether the script reads what `{path}` allows (t/BAND.md:3): no input names an existing file by "
              "`path`; give an --input with that property to find out"});
  }
  const Json given = {{"path", "a.txt"}, {"output", "new.txt"}};
  Learner unused = stage.learner();
  CHECK(trial_of(unused, given).read.insist.size() == 1);
  RunOutcome outcome;
  outcome.answer.error = Error{.code = Code::InsistNotSatisfied, .doing = "a.txt was not read"};
  CHECK(observe(unused, 1, outcome, given));
  CHECK(removed(unused) == Texts{"write {output}", "read {path}"});
  CHECK(unused.proposal(1, true).unknown.empty());
  // One of two inputs uses both.
  RunOutcome uses = RunOutcome().read("b.txt");
  uses.answer.files.push_back({"new.txt", 0644, "x"});
  observe(unused, 2, uses, Json{{"path", "b.txt"}, {"output", "new.txt"}}, 1);
  CHECK(removed(unused).empty());
  // A failed run is not evidence.
  Learner failed = stage.learner();
  observe(failed, 1, RunOutcome().failed(), given);
  CHECK(removed(failed).empty());
}

TEST_CASE("a line of write whose text is escaped in the ledger is recognised as used") {
  Stage stage;
  stage.rules.write = domain({"./\u202Eb.txt"});
  stage.rules.write.opened[0][0].origin = "t/BAND.md:3";
  stage.rules.read = domain({"./\u202Eb.txt"});
  Learner learner = stage.learner();
  RunOutcome outcome;
  outcome.answer.files.push_back({"\u202Eb.txt", 0644, "x"});
  CHECK(!observe(learner, 1, outcome));
  CHECK(learner.proposal(1, true).removals.empty());
}

TEST_CASE("a line with which no run can start is removed, with the server's reason") {
  Learner learner = Stage{}.learner();
  observe(learner, 1, RunOutcome().failed().not_found({"own-tool", "x1"}).not_found({"git", "log"}));
  RunOutcome refused;
  refused.answer.exit_status.reset();
  refused.answer.error = Error{.code = Code::SandboxUnavailable,
                               .doing = "the command own-tool is not on the machine that runs the scripts"};
  CHECK(observe(learner, 2, refused));
  CHECK(shown(learner.lines()) == Texts{"allow.cli git log"});
  CHECK(!observe(learner, 3, RunOutcome().ran({"git", "log"}).not_found({"own-tool", "x1"})));
  const Texts unknown = learner.proposal(1, true).unknown;
  REQUIRE(unknown.size() == 1);
  CHECK(unknown[0].find("is not on the machine") != std::string::npos);
}

TEST_CASE("an incomplete ledger is not evidence for unused lines") {
  Stage stage;
  stage.rules.cli = domain({"git log"});
  stage.rules.cli.opened[0][0].origin = "t/BAND.md:3";
  Learner learner = stage.learner();
  CHECK(!observe(learner, 1, RunOutcome().entry("left-out", {{"command", 3}})));
  CHECK(learner.proposal(1, true).removals.empty());
  Learner cut = Stage{}.learner();
  CHECK(!observe(cut, 1, RunOutcome().failed().entry("not-found", {{"argv", {"git"}}, {"argumentsLeftOut", 70u}})));
  CHECK(cut.lines().empty());
  CHECK(cut.proposal(1, false).unknown.size() == 1);
}

TEST_CASE("for any answer of a server, only valid lines are proposed") {
  for (const Json& odd :
       {Json(nullptr), Json::array({1, 2}), Json{{"argv", 5}}, Json{{"argv", {1}}}, Json{{"argv", Json::array()}},
        Json{{"argv", {""}}}, Json{{"argv", {"a/b"}}}, Json{{"argv", {"cd", "x"}}},
        Json{{"host", 5}, {"outcome", "refused"}}, Json{{"host", "a b"}, {"outcome", "refused"}, {"port", 99999u}},
        Json{{"host", "*"}, {"outcome", "refused"}}, Json{{"host", "[masked].example"}, {"outcome", "refused"}},
        Json{{"path", 3}}})
    for (const char* kind : {"command", "not-found", "net", "read", "env", "left-out"}) {
      Learner learner = Stage{}.learner();
      observe(learner, 1, RunOutcome().failed("cat: '': No such file or directory\n: not found\n").entry(kind, odd));
      CHECK(learner.lines().empty());
    }
}
