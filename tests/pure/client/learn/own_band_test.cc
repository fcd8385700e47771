#include "client/learn/own_band.h"

#include <doctest/doctest.h>

#include "client/commands/learn_band.h"
#include "schemas/core/json.h"
#include "schemas/rules/path_rules.h"
#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::client;
using namespace band::client::learn;
using namespace band::test;

namespace {

ComposedBand composed(const TempDir& dir, const BandDraft* draft = nullptr) {
  std::vector<Diagnostic> errors;
  const auto band = compose_band(dir.path("s"), "go", errors, draft);
  REQUIRE_MESSAGE(band.has_value(), (errors.empty() ? "" : errors.front().text()));
  return *band;
}

std::string first_of(const Domain& domain) { return domain.opened.empty() ? "" : domain.opened[0][0].pattern; }

}  // namespace

TEST_CASE("a script's own band opens what the shared one opens, and keeps the keys of the nearest file") {
  const TempDir dir;
  dir.write("s/base/BAND.md", "---\nband: s\nallow: {read: [\"./a/**\"]}\nlimit: {maxFiles: 5}\n---\n");
  dir.write(
      "s/BAND.md",
      "---\nband: s\nextends: base/BAND.md\nallow: {read: [\"./**\"], cli: [git log]}\ndeny: {read: [\"./a/x\"]}\n"
      "requires: {band: \"0.1\"}\nexecution: {targets: [local]}\ncontract: {input: schemas/in.json}\n"
      "env: [TOKEN]\ns: {level: 3}\nlimit: {maxRuntimeMs: 10m, maxFiles: 9, maxCostDollars: 1.5}\n---\n");
  const ComposedBand shared = composed(dir);
  const std::string text = own_band_text(shared, "s/scripts/go/BAND.md");
  CHECK(
      text.starts_with("---\nband: s\n# This script has all permissions of the other scripts, too.\n"
                       "includes: \"../../BAND.md\"\nextends: [\"../../base/BAND.md\"]\nrequires: {band: \"0.1\"}\n"
                       "execution: {targets: [\"local\"]}\ncontract: {input: \"../../schemas/in.json\"}\n"
                       "limit: {maxRuntimeMs: 10m, maxFiles: 5, maxCostDollars: 1.5}\n---\n"));
  dir.write("s/scripts/go/run.sh", "x\n");
  const std::filesystem::path path = std::filesystem::canonical(dir.path("s")) / "scripts/go/BAND.md";
  const BandDraft draft{path, text};
  const ComposedBand own = composed(dir, &draft);
  CHECK(own.files.front() == "s/scripts/go/BAND.md");
  CHECK(shows_enough(own.rules, shared.rules));
  CHECK(shows_enough(shared.rules, own.rules));
  CHECK(own.rules.limit == shared.rules.limit);
  CHECK(own.rules.env.size() == 1);
  CHECK(dump_json(own.band.config) == dump_json(shared.band.config));
  // A line in it is restricted to what the base opens, like a line of the shared file.
  const BandDraft wide{path, text.substr(0, text.find("---\n", 4)) + "allow: {read: [\"./b\"]}\n---\n"};
  const ComposedBand more = composed(dir, &wide);
  const auto rules = PathRules::compile(more.rules.read, PathRules::Use::Read);
  REQUIRE(rules.ok());
  CHECK(rules->opens("a/b", false));
  CHECK(!rules->opens("b", false));
  CHECK(!exists(path));
}

TEST_CASE("a draft is used in place of an existing file, and of a missing one") {
  const TempDir dir;
  dir.write("s/BAND.md", "---\nband: s\nallow: {cli: [git log]}\n---\n");
  dir.write("s/scripts/go/run.sh", "x\n");
  CHECK(first_of(composed(dir).rules.cli) == "git log");
  const std::filesystem::path skill = std::filesystem::canonical(dir.path("s"));
  const BandDraft changed{skill / "BAND.md", "---\nband: s\nallow: {cli: [git show]}\n---\n"};
  CHECK(first_of(composed(dir, &changed).rules.cli) == "git show");
  const BandDraft own{skill / "scripts/go/BAND.md", "---\nband: s\nallow: {cli: [git diff]}\n---\n"};
  CHECK(first_of(composed(dir, &own).rules.cli) == "git diff");
  const BandDraft other{skill / "scripts/other/BAND.md", "---\nband: s\n---\n"};
  CHECK(first_of(composed(dir, &other).rules.cli) == "git log");
}

TEST_CASE("a run shows that a band is enough if it opened no more, and denied and insisted the same") {
  Rules run, whole;
  const auto enough = [&] { return shows_enough(run, whole); };
  CHECK(enough());
  whole.cli = domain({"git log"});
  CHECK(enough());  // not needed
  run.cli = domain({"git log", "gh *"});
  CHECK(!enough());  // without `gh *` it may fail
  whole.cli = domain({"gh *", "git log"});
  CHECK(enough());
  whole.cli.insist.push_back({"git log", "t/BAND.md:3"});
  CHECK(!enough());
  run.cli.insist.push_back({"git log", "t/BAND.md:3"});
  CHECK(enough());
  run.cli.insist.push_back({"gh *", "band learn"});  // added by learn for evidence
  CHECK(enough());
  whole.cli.deny.push_back({"git log -x", "t/BAND.md:4"});
  CHECK(!enough());
  run.cli.deny.push_back({"git log -x", "t/BAND.md:9"});
  run.cli.opened[0].push_back({"python3", "band learn"});  // watched: allowed and denied
  run.cli.deny.push_back({"python3", "band learn"});
  CHECK(enough());
  run.read = domain({"./a"});
  whole.read = domain({"./a"});
  whole.read.opened.push_back({{"./b", "t/BAND.md:5"}});  // and restricted to that
  CHECK(!enough());
}
