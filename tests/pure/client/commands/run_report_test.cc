#include "client/commands/run_report.h"

#include <doctest/doctest.h>

#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::client;
using namespace band::test;

TEST_CASE("of what does not come back it is said why, name by name") {
  const auto write = Opening::of(domain({"./out/**", "./dist", "./.profile", "./.git/**"}, {"./out/.keys"}), false);
  REQUIRE(write.ok());
  const auto why = [&](const std::string& path) { return std::string(why_not_written(*write, path)).substr(0, 16); };
  CHECK(why("out/link") == "a link, a FIFO o");
  CHECK(why(".profile") == "a link, a FIFO o");
  CHECK(why("out/.env") == "beginning with a");
  CHECK(why("out/.cache/a") == "beginning with a");
  CHECK(why("out/.keys/a") == "not opened by al");
  CHECK(why_not_written(*write, "dist/o") ==
        "below dist, which allow.write takes for a file (for a directory `./dist/**`; band exec: `--write dist/`): ");
  CHECK(why("dist2/o") == "not opened by al");
  CHECK(why("other") == "not opened by al");
  CHECK(why(".git/config") == "never written, w");
  CHECK(why("out/.git/HEAD") == "never written, w");
}
