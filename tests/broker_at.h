// A broker for tests that simulate its shims (tests/door_place.h) and its holder (tests/played_sandbox.h).
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "schemas/commands/plan.h"
#include "schemas/rules/rules.h"
#include "server/broker/broker.h"
#include "server/init/setup.h"
#include "tests/door_place.h"

namespace band::test {

// Returns a broker that allows the declared commands with any arguments. It calls `starts` before it starts a command.
inline broker::Broker broker_at(
    const DoorPlace& place, broker::Witness& witness, const std::vector<std::string>& declared,
    std::function<void()> starts = [] {}) {
  Domain cli;
  if (!declared.empty()) cli.opened.emplace_back();
  for (const std::string& name : declared) cli.opened[0].push_back({name, "BAND.md:1"});
  auto plan = plan_commands(cli);
  REQUIRE(plan.ok());
  auto rules = CommandRules::compile(cli, *plan);
  REQUIRE(rules.ok());
  auto door = broker::Door::open(place.fd.get(), "broker", ::getuid());
  REQUIRE(door.ok());
  broker::Config config{std::move(*rules), {}, {}};
  for (const std::string& name : declared) config.offers.push_back({name, {"/usr/bin/" + name}});
  config.environment = [starts = std::move(starts)](const broker::Request&) {
    starts();
    return broker::Config::Environment();
  };
  return {std::move(*door), std::move(config), witness};
}

}  // namespace band::test
