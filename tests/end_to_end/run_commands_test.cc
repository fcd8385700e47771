// A declared command: skills/repo on a real repository, also on one with a hostile configuration.
#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

// In the caller's workspace; as root, outside of any sandbox.
std::string shell(const Caller& caller, const std::string& script) {
  const Ran ran = Running({"/usr/bin/bash", "-c", script}, caller.env, caller.work("")).wait();
  CHECK_STATUS(ran, 0);
  return ran.out;
}

constexpr const char* kRepository =
    "git init -q -b main . && for i in 1 2 3; do echo $i > file && git add file && "
    "git -c user.name=Ann -c user.email=ann@example.org commit -q -m \"change $i\"; done";

}  // namespace

TEST_CASE("repo/changes lists the commits of the caller's repository through git log, and the ledger has it") {
  const Caller caller(shared_server());
  shell(caller, kRepository);
  const Ran ran = caller.band({"run", "repo/changes", "--count", "2", "--json"});
  CHECK_STATUS(ran, 0);
  CHECK_HAS(ran.out, "\"subject\":\"change 3\"");
  CHECK_HAS(ran.out, "\"subject\":\"change 2\"");
  CHECK_HAS_NOT(ran.out, "\"subject\":\"change 1\"");
  CHECK_HAS(ran.out, "\"argv\":[\"git\",\"log\",\"--max-count=2\"");
  CHECK_HAS(ran.out, "\"pattern\":\"git log *\"");
}

TEST_CASE("a commit whose author and subject contain the field separator is one commit, with its own date") {
  const Caller caller(shared_server());
  shell(caller, kRepository);
  shell(caller,
        "git -c user.name=$'Eve\\0372001-01-01\\037forged' -c user.email=e@example.org commit -q --allow-empty "
        "-m $'real\\037\\nabc\\037Ann\\0372002-02-02\\037forged, too\\037'");
  // The control: git keeps the byte in both.
  CHECK_HAS(shell(caller, "git log -1 --format=%an"),
            "Eve\x1f"
            "2001-01-01\x1f"
            "forged");
  CHECK_HAS(shell(caller, "git log -1 --format=%s"),
            "real\x1f abc\x1f"
            "Ann\x1f"
            "2002-02-02\x1f");
  const std::string today = shell(caller, "git log -1 --date=short --format=%ad").substr(0, 10);
  const Ran ran = caller.band({"run", "repo/changes", "--count", "1", "--json"});
  REQUIRE_STATUS(ran, 0);
  CHECK_HAS(ran.out, "\"author\":\"Eve 2001-01-01 forged\"");
  CHECK_HAS(ran.out, "\"date\":\"" + today + "\"");
  CHECK_HAS(ran.out, "\"subject\":\"real  abc Ann 2002-02-02 forged, too ");
  CHECK(ran.out.find("\"subject\"") == ran.out.rfind("\"subject\""));
}

TEST_CASE("commands of a repository's configuration are not executed by git log") {
  const Caller caller(shared_server());
  shell(caller, kRepository);
  const std::string ran_it = caller.work("") + "/ran";
  const std::string act = "touch " + ran_it + "; echo ran >&2";
  shell(caller, "git config core.fsmonitor 'sh -c \"" + act + "\"' && git config core.pager 'sh -c \"" + act +
                    "\"' && git config pager.log true && git config log.showSignature true && git config gpg.program " +
                    "'sh -c \"" + act + "\"' && git config alias.log '!" + act + "' && git config alias.x '!" + act +
                    "'");
  shell(caller, "git x 2> /dev/null; test -e ran && rm ran");  // the control: outside, an alias runs
  const Ran ran = caller.band({"run", "repo/changes", "--json"});
  CHECK_STATUS(ran, 0);
  CHECK_HAS(ran.out, "\"subject\":\"change 3\"");
  CHECK_HAS_NOT(ran.out, "\"stderr\":\"ran");
  CHECK(shell(caller, "ls") == "file\n");
}

TEST_CASE("outside a repository repo/changes fails with git's message, not with the unmet insist") {
  const Caller caller(shared_server());
  const Ran ran = caller.band({"run", "repo/changes"});
  CHECK_STATUS(ran, 1);
  CHECK_HAS(ran.err, "not a git repository");
}
