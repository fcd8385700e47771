// Rules: a band after composition (design section 1). Plain data; empty means denied.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schemas/core/json_fwd.h"
#include "schemas/core/json_value.h"
#include "schemas/core/result.h"
#include "schemas/rules/limits.h"

namespace band {

struct Rule {
  std::string pattern;  // as written
  std::string origin;   // "github/BAND.md:9"
  // Of what is opened on the machine: the run goes on where it is missing. Of what `read` opens in the workspace, where
  // the run goes on anyway: no note says that nothing matched.
  bool optional = false;

  bool operator==(const Rule&) const = default;
};
using RuleSet = std::vector<Rule>;

// What is opened is a conjunction of layers, each a union: `extends` and the operator's ceiling add layers, `includes`
// distributes over them. Something is opened when every layer has a rule that matches, and there is a layer at all.
// `deny` always wins.
struct Domain {
  std::vector<RuleSet> opened;  // no layer, or an empty layer: nothing is opened
  RuleSet deny;
  RuleSet insist;

  bool opens_nothing() const;
  bool operator==(const Domain&) const = default;
};

// One variable that the band takes from its caller (BAND.md `env`).
struct EnvRule {
  std::string name;  // [A-Za-z_][A-Za-z0-9_]*, at most 128 bytes
  bool required = true;
  bool secret = true;                   // masked in the answer and in logs
  std::optional<std::string> fallback;  // `default:` of the band; makes it not required
  std::string description;
  std::string origin;

  bool operator==(const EnvRule&) const = default;
};

struct Rules {
  Domain cli, net, read, write;
  Limits limit;
  std::vector<EnvRule> env;

  bool operator==(const Rules&) const = default;
};

// The wire form of rules, described in wire.schema.json. `rules_from_json` checks everything again (types, sizes,
// every pattern parses) and is what the server calls on hostile input.
Json rules_to_json(const Rules& rules);
Result<Rules> rules_from_json(const Json& value);

// {"pattern", "origin"}: the details of a ledger entry about a rule.
JsonValue rule_details(const Rule& rule);

inline constexpr std::size_t kMaxRules = 4096;  // of all domains and layers together
inline constexpr std::size_t kMaxLayers = 32;   // of one domain

}  // namespace band
