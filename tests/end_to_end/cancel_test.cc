// `band status` lists the executions of the caller's token, and `band cancel` ends one of them.
#include <regex>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

std::string id_in(const std::string& status) {
  std::smatch found;
  return std::regex_search(status, found, std::regex("\n  ([0-9a-f]{16})  tool/go  for \\d+ s\n")) ? found[1].str()
                                                                                                   : "";
}

}  // namespace

TEST_CASE("band status shows the running executions of the own token, and band cancel ends one" * beside_server()) {
  Server server("", "2");
  server.add_token("other");
  const Caller caller(server), other(server, "other");
  CHECK_HAS(caller.band({"status"}).out, "running  no execution of yours\n");
  caller.script("tool/go", "trap 'echo ended >&2; exit 9' TERM\n" + kHold, "");
  Running running = caller.start({"run", "tool/go"});
  REQUIRE(within(10'000, [&] { return server.held(); }));
  const std::string id = id_in(caller.band({"status"}).out);
  REQUIRE_MESSAGE(!id.empty(), caller.band({"status"}).out);
  CHECK_HAS(caller.band({"status", "--json"}).out,
            R"("executions":[{"id":")" + id + R"(","script":"tool/go","ageMs":)");
  // Another token neither sees nor ends it.
  CHECK_HAS(other.band({"status"}).out, "running  no execution of yours\n");
  CHECK_STATUS(other.band({"cancel", id}), 2);
  CHECK(server.held());
  const Ran ended = caller.band({"cancel", id});
  CHECK_STATUS(ended, 0);
  CHECK_HAS(ended.err, "the server ends the execution " + id);
  const Ran ran = running.wait();
  CHECK(ran.status != 0);
  CHECK_HAS(ran.err, "the caller ended it");
  CHECK_HAS(ran.err, "ended\n");  // the script got SIGTERM
  const Ran again = caller.band({"cancel", id});
  CHECK_STATUS(again, 2);
  CHECK_HAS(again.err, "hint: `band status` shows the executions of your token");
}

TEST_CASE("band cancel refuses what is not an id, and an id that does not exist") {
  const Caller caller(shared_server());
  CHECK_HAS(caller.band({"cancel"}).err, "needs the id of an execution");
  for (const char* id : {"0123", "../health", "0123456789ABCDEF", "0123456789abcdef0"})
    CHECK_HAS(caller.band({"cancel", id}).err, "is not the id of an execution");
  const Ran none = caller.band({"cancel", "0123456789abcdef", "--json"});
  CHECK_STATUS(none, 2);
  CHECK_HAS(none.out, R"("code":"BAD_REQUEST")");
}
