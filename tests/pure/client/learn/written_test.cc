// A file that the script writes has a line of `read` in addition to that of `write`.
#include <doctest/doctest.h>

#include "tests/pure/client/client_test.h"
#include "tests/pure/client/learn/learner_stage.h"

using namespace band;
using namespace band::client;
using namespace band::client::learn;
using namespace band::test;

namespace {

Stage with_band(const Texts& read, const Texts& write) {
  Stage stage;
  stage.rules.read = domain(read);
  stage.rules.write = domain(write);
  for (Domain* one : {&stage.rules.read, &stage.rules.write})
    for (RuleSet& layer : one->opened)
      for (Rule& rule : layer) rule.origin = "t/BAND.md:3";
  return stage;
}

RunOutcome came_back(const std::string& path) {
  RunOutcome outcome;
  outcome.answer.files.push_back({path, 0644, "x"});
  return outcome;
}

RunOutcome conflict() {
  RunOutcome outcome;
  outcome.answer.exit_status.reset();
  outcome.answer.error = Error{.code = Code::WriteConflict, .doing = "report.txt exists in the workspace"};
  return outcome;
}

}  // namespace

TEST_CASE("a pair of the band is neither removed nor insisted on, whether the file exists or not") {
  for (const char* pattern : {"./out/r.txt", "./out/*.txt", "{output}"})
    for (const bool there : {true, false}) {
      CAPTURE(pattern);
      CAPTURE(there);
      Stage stage = with_band({pattern}, {pattern});
      if (there) stage.files = {"out/r.txt"};
      const Json input = {{"output", "out/r.txt"}};
      Learner learner = stage.learner();
      CHECK(trial_of(learner, input).read.insist.empty());
      CHECK(!observe(learner, 1, came_back("out/r.txt"), input));
      CHECK(learner.lines().empty());
      CHECK(learner.proposal(1, true).removals.empty());
    }
}

TEST_CASE("a wider read that allows replacing a file counts as used") {
  Stage stage = with_band({"./**/*.txt"}, {"./out/*.txt"});
  stage.files = {"out/r.txt"};
  Learner learner = stage.learner();
  RunOutcome unread;
  unread.answer.error = Error{.code = Code::InsistNotSatisfied, .doing = "not read"};
  CHECK(observe(learner, 1, unread));
  CHECK(!observe(learner, 2, came_back("out/r.txt")));
  CHECK(learner.proposal(1, true).removals.empty());
}

TEST_CASE("after a conflict with an existing file, the read for the write is proposed") {
  for (const char* pattern : {"./report.txt", "{output}"}) {
    CAPTURE(pattern);
    Stage stage = with_band({}, {pattern});
    stage.files = {"report.txt"};
    const Json input = {{"output", "report.txt"}};
    Learner learner = stage.learner();
    CHECK(observe(learner, 1, conflict(), input));
    CHECK(shown(learner.lines()) == Texts{std::string("allow.read ") + pattern + " optional"});
    CHECK(learner.lines()[0].reason.find("is replaced only when it was sent") != std::string::npos);
    CHECK(learner.proposal(1, false).unknown.empty());
  }
  // A person decides about a hidden file, and a conflict that no line resolves is listed.
  Stage stage = with_band({}, {"./.env"});
  stage.files = {".env"};
  Learner learner = stage.learner();
  CHECK(!observe(learner, 1, conflict()));
  CHECK(learner.lines().empty());
  CHECK(decisions_of(learner) == Texts{R"(read: [{path: "./.env", optional: true}])"});
  CHECK(learner.proposal(1, false).unknown.size() == 1);
}

TEST_CASE("a read for a value of the input becomes optional if the script only writes that file") {
  Stage stage;
  stage.files = {"report.txt"};
  const Json input = {{"output", "report.txt"}};
  Learner learner = stage.learner();
  RunOutcome outcome;
  outcome.answer.not_written = {"report.txt"};
  CHECK(observe(learner, 1, outcome, input));
  CHECK(shown(learner.lines()) == Texts{"allow.read {output} optional", "allow.write {output}"});
  CHECK(trial_of(learner, input).read.insist.empty());
  CHECK(!observe(learner, 2, came_back("report.txt"), input));
  CHECK(learner.lines().size() == 2);
}

TEST_CASE("for a pattern of the band only the conflicting files are opened") {
  Stage stage = with_band({}, {"./out/**"});
  stage.files = {"out/old.csv"};
  Learner fresh = stage.learner();
  CHECK(!observe(fresh, 1, came_back("out/new.csv")));
  Learner learner = stage.learner();
  RunOutcome outcome = came_back("out/new.csv");
  outcome.answer.files.push_back({"out/old.csv", 0644, "x"});
  CHECK(observe(learner, 1, outcome));
  CHECK(shown(learner.lines()) == Texts{"allow.read ./out/old.csv optional"});
  // Many of them are one line with a warning.
  RunOutcome many;
  for (const char* name : {"a", "b", "c", "d"}) {
    stage.files.insert("out/" + std::string(name));
    many.answer.files.push_back({"out/" + std::string(name), 0644, "x"});
  }
  Learner wide = stage.learner();
  CHECK(observe(wide, 1, many));
  REQUIRE(shown(wide.lines()) == Texts{"allow.read ./out/** optional"});
  CHECK(!wide.lines()[0].warning.empty());
}

TEST_CASE("the read is removed with the write") {
  Learner learner = Stage{}.learner();
  RunOutcome outcome;
  outcome.answer.not_written = {"report.txt"};
  CHECK(observe(learner, 1, outcome));
  CHECK(learner.lines().size() == 2);
  RunOutcome first, second;  // two names become a pattern, and the read with them
  first.answer.not_written = {"out/a.csv"};
  second.answer.not_written = {"out/b.csv"};
  CHECK(observe(learner, 2, first));
  CHECK(observe(learner, 3, second));
  CHECK(shown(learner.lines()) == Texts{"allow.read ./out/*.csv optional", "allow.read ./report.txt optional",
                                        "allow.write ./out/*.csv", "allow.write ./report.txt"});
}

TEST_CASE("a write of an unchanged existing file is kept, because no run shows whether it was written") {
  for (const char* pattern : {"./out/r.txt", "./out/*.txt", "{output}"})
    for (const bool there : {true, false}) {
      CAPTURE(pattern);
      Stage stage = with_band({pattern}, {pattern});
      if (there) stage.files = {"out/r.txt"};
      const Json input = {{"output", "out/r.txt"}};
      Learner learner = stage.learner();
      CHECK(!observe(learner, 1, RunOutcome(), input));
      const Proposal proposal = learner.proposal(1, true);
      CHECK(proposal.removals.size() == (there ? 0 : 1));
      CHECK(proposal.unknown.size() == (there ? 1 : 0));
      CHECK(!observe(learner, 2, came_back("out/r.txt"), input));
      CHECK(learner.proposal(1, true).unknown.empty());
      CHECK(learner.proposal(1, true).removals.empty());
    }
}
