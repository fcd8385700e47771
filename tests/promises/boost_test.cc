// How much credit a boost costs the token of an execution.
#include <doctest/doctest.h>

#include "tests/promises/sandbox.h"

using namespace band::test;

TEST_CASE("a boost is charged for the elapsed time of the sandbox's processes, also for the time in which they sleep") {
  const Ran ran = run("sleep 0.3");
  CHECK(ran.code == "OK");
  CHECK(ran.charged_us >= 100'000);  // a boost ends 0.1 s after the script's start
}
