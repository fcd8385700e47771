#include "server/evidence/cause.h"

#include <doctest/doctest.h>

using namespace band;
using namespace band::run;
using Denied = ledger::Ledger::Denied;

namespace {

const Denied* cause(const std::vector<Denied>& denied, int status, const std::string& err,
                    const std::string& out = "") {
  Answer answer;
  answer.stdout_log = out;
  answer.stderr_log = err;
  return cause_of_failure(denied, status, answer);
}

const Denied kPush{"", "git push is denied", "git", false};
const Denied kHost{"", "a.example refused", "a.example", true};
const Denied kPackets{"", "refused 2 packets", "", true};

}  // namespace

TEST_CASE("a denial is the cause if the log names the command, the host, or a failed lookup") {
  CHECK(cause({kHost, kPush}, 1, "band: git: command not found\n")->subject == "git");
  CHECK(cause({kPush, kHost}, 1, "cannot fetch http://a.example/x\n")->subject == "a.example");
  CHECK(cause({kPush, kPackets}, 1, "x: Temporary failure in name resolution\n")->text == kPackets.text);
  CHECK(cause({kHost}, 1, "", "fatal: a.example did not answer\n")->subject == "a.example");
}

TEST_CASE("a script that prints another reason has not failed because of the denial") {
  CHECK(cause({kHost, kPush, kPackets}, 1, "the third row has no date\n") == nullptr);
  CHECK(cause({kPackets}, 1, "", "invalid package\n") == nullptr);
  CHECK(cause({}, 1, "band: git: command not found\n") == nullptr);
}

TEST_CASE("the first denial is the cause of a failure without a message") {
  CHECK(cause({kPush, kHost}, 1, "")->subject == "git");
  CHECK(cause({kHost}, 6, "", "fetching\n")->subject == "a.example");  // the status of `curl -s`
}
