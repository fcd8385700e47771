// Rules: a band after composition (docs/architecture.md 6.1). Plain data; empty means denied.
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
  // For an opened path of the machine: a missing path does not fail the run. For a `read` pattern of the workspace,
  // where a missing path never fails the run: there is no note that nothing matched.
  bool optional = false;

  bool operator==(const Rule&) const = default;
};
using RuleSet = std::vector<Rule>;

// The opened set is a conjunction of layers; a layer is a union of rules. `extends` and the operator's ceiling add
// layers, `includes` distributes over them. An item is opened when there is at least one layer and every layer has a
// matching rule. `deny` always has precedence.
struct Domain {
  std::vector<RuleSet> opened;  // without a layer, or with an empty layer, nothing is opened
  RuleSet deny;
  RuleSet insist;

  bool opens_nothing() const;
  bool operator==(const Domain&) const = default;
};

// One environment variable that the band accepts from its caller (`env` in BAND.md).
struct EnvRule {
  std::string name;  // [A-Za-z_][A-Za-z0-9_]*, at most 128 bytes
  bool required = true;
  bool secret = true;                   // masked in the answer and in logs
  std::optional<std::string> fallback;  // `default:` in the band; then the variable is not required
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

// The wire form of rules, described in wire.schema.json. `rules_from_json` checks everything (types, sizes, patterns);
// the server calls it on untrusted input.
Json rules_to_json(const Rules& rules);
Result<Rules> rules_from_json(const Json& value);

// Returns {"pattern", "origin"}: the details of a ledger entry about a rule.
JsonValue rule_details(const Rule& rule);

inline constexpr std::size_t kMaxRules = 4096;  // in all domains and layers together
inline constexpr std::size_t kMaxLayers = 32;   // in one domain

}  // namespace band
