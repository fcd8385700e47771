// `band-server drain`: running executions finish, and no new one starts.
#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

Running drain(const Server& server, const char* seconds) {
  return Running({BAND_BIN_DIR "/band-server", "drain", "--seconds", seconds, "--config", server.config()},
                 {{"PATH", "/usr/bin:/bin"}}, "/");
}

bool drains(const Caller& caller) { return contains(caller.band({"status", "--json"}).out, "\"draining\":true"); }

}  // namespace

TEST_CASE("a drain waits for running executions, and no new one is accepted while it waits") {
  const Server server;
  const Caller caller(server);
  caller.script("tool/go", kHold + kEmptyOutput);
  caller.script("tool/quick", kEmptyOutput);
  REQUIRE_STATUS(caller.band({"run", "tool/quick"}), 0);  // the control
  CHECK_HAS(caller.band({"status", "--json"}).out, "\"draining\":false");
  Running running = caller.start({"run", "tool/go"});
  REQUIRE(server.held());
  Running draining = drain(server, "60");
  REQUIRE(within(5000, [&] { return drains(caller); }));
  const Ran refused = caller.band({"run", "tool/quick"});
  CHECK_STATUS(refused, 9);
  CHECK_HAS(refused.err, "about to be replaced");
  CHECK_HAS(refused.err, "try again in 5 s");
  CHECK_FALSE(draining.ended());
  server.let_go();
  const Ran went = running.wait();
  CHECK_STATUS(went, 0);
  const Ran drained = draining.wait();
  CHECK_STATUS(drained, 0);
  CHECK(drained.out == "{\"left\":[]}\n");
  CHECK_HAS(drained.err, "waiting for 1 execution");
  CHECK_STATUS(caller.band({"run", "tool/quick"}), 9);  // none starts between the drain's end and the server's
}

TEST_CASE("executions that outlast a drain are named, and the server accepts new ones again") {
  const Server server;
  const Caller caller(server);
  caller.script("tool/go", kHold + kEmptyOutput);
  caller.script("tool/quick", kEmptyOutput);
  Running running = caller.start({"run", "tool/go"});
  REQUIRE(server.held());
  const Ran drained = drain(server, "1").wait();
  CHECK_STATUS(drained, 9);
  CHECK_HAS(drained.out, "\"script\":\"tool/go\"");
  CHECK_HAS(drained.out, "\"token\":\"laptop\"");
  CHECK_HAS(drained.err, "1 execution did not end within 1 s");
  CHECK_STATUS(caller.band({"run", "tool/quick"}), 0);
  server.let_go();
  CHECK_STATUS(running.wait(), 0);
}

TEST_CASE("a drain without a server has nothing to wait for, and invalid arguments are refused") {
  Server server;
  server.stop();
  const Ran none = drain(server, "5").wait();
  CHECK_STATUS(none, 0);
  CHECK(none.out == "{\"left\":[]}\n");
  for (const char* bad : {"", "-1", "x", "1.5", "999999"}) CHECK_STATUS(drain(server, bad).wait(), 2);
}
