#include "client/commands/run_report.h"

#include <doctest/doctest.h>

#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::client;
using namespace band::test;

TEST_CASE("for each file that is not written back, the note names the reason") {
  const auto write = Opening::of(domain({"./out/**", "./dist", "./.profile", "./.git/**"}, {"./out/.keys"}), false,
                                 PathRules::Use::Write);
  REQUIRE(write.ok());
  CHECK(write->opens(".profile"));
  const auto why = [&](const std::string& path) { return std::string(why_not_written(*write, path)).substr(0, 16); };
  CHECK(why("out/link") == "not written back");
  CHECK(why(".profile") == "not written back");
  CHECK(why_not_written(*write, "out/.env") ==
        "not written back, because `.env` sets variables for programs that start in this directory, and no rule of "
        "allow.write spells this name: ");
  CHECK(why("out/.cache/a") == "not matched by a");
  CHECK(why("out/.keys/a") == "not allowed by a");
  CHECK(why_not_written(*write, "dist/o") ==
        "below dist, which allow.write names as a file (for a directory write `./dist/**`; band exec: `--write "
        "dist/`): ");
  CHECK(why("dist2/o") == "not allowed by a");
  CHECK(why("other") == "not allowed by a");
  CHECK(why(".git/config") == "never written ba");
  CHECK(why("out/.git/HEAD") == "never written ba");
}
