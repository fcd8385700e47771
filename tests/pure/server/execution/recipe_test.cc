#include "server/execution/recipe.h"

#include <doctest/doctest.h>

using namespace band;
using run::recipe_of;

namespace {

ExecRequest plain() {
  ExecRequest request;
  request.script = "a/b";
  request.rules.read.opened = {{{"data/**", "BAND.md:3"}}};
  return request;
}

}  // namespace

TEST_CASE("a recipe depends on every part of the rules, and on no other content of the request") {
  const auto one = recipe_of("t", plain());
  REQUIRE(one);
  ExecRequest other = plain();
  other.script = "c/d";
  other.source = "exit 1";
  other.input = JsonValue::object();
  other.env = {{"A", "1"}};
  other.secrets = {{"B", "2"}};
  other.files = {{"data/x", 0644, "x"}};
  other.keep_partial = other.raw_logs = true;
  CHECK(recipe_of("t", other) == one);

  CHECK(recipe_of("u", plain()) != one);
  const auto differs = [&](auto&& change) {
    ExecRequest changed = plain();
    change(changed);
    return recipe_of("t", changed) != one;
  };
  CHECK(differs([](ExecRequest& r) { r.stdin_open = true; }));
  for (Domain Rules::*domain : {&Rules::cli, &Rules::net, &Rules::read, &Rules::write}) {
    CHECK(differs([&](ExecRequest& r) { (r.rules.*domain).opened.push_back({}); }));
    CHECK(differs([&](ExecRequest& r) { (r.rules.*domain).opened.push_back({{"y", "BAND.md:3"}}); }));
    CHECK(differs([&](ExecRequest& r) { (r.rules.*domain).deny.push_back({"y", "BAND.md:4"}); }));
    CHECK(differs([&](ExecRequest& r) { (r.rules.*domain).insist.push_back({"y", "BAND.md:5"}); }));
  }
  CHECK(differs([](ExecRequest& r) { r.rules.read.opened[0][0].origin = "BAND.md:4"; }));
  CHECK(differs([](ExecRequest& r) { r.rules.read.opened[0][0].optional = true; }));
  CHECK(differs([](ExecRequest& r) { r.rules.env.push_back({"A", true, true, {}, "", ""}); }));
  for (const LimitKey& key : kLimitKeys) CHECK(differs([&](ExecRequest& r) { r.rules.limit.*key.member = 5; }));
  CHECK(differs([](ExecRequest& r) { r.rules.limit.maxCostDollars = 1; }));
}

TEST_CASE("a request with a terminal, or with a path of the machine in read, write or cli, starts cold") {
  ExecRequest request = plain();
  request.terminal.emplace();
  CHECK_FALSE(recipe_of("t", request));
  for (Domain Rules::*domain : {&Rules::read, &Rules::write, &Rules::cli}) {
    for (RuleSet Domain::*set : {&Domain::deny, &Domain::insist}) {
      ExecRequest named = plain();
      (named.rules.*domain.*set).push_back({"/opt/x", "BAND.md:4"});
      CHECK_FALSE(recipe_of("t", named));
    }
    ExecRequest named = plain();
    (named.rules.*domain).opened.push_back({{"a", ""}, {"/opt/**", "BAND.md:4"}});
    CHECK_FALSE(recipe_of("t", named));
  }
}
