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

namespace band {

struct Rule {
  std::string pattern;    // as written
  std::string origin;     // "github/BAND.md:9"
  bool optional = false;  // of a path of the machine that is opened: a run goes on where it is missing
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
};

// Units are in the names. Absent means the default below.
struct Limits {
  std::optional<std::int64_t> maxRuntimeMs, maxInputBytes, maxOutputBytes, maxMemoryBytes, maxProcesses, maxDiskBytes,
      maxFiles, maxOpenFiles;
  std::optional<double> maxCostDollars;
};

// The same with every number decided; defaults of design section 10.
struct EffectiveLimits {
  std::int64_t maxRuntimeMs = 60'000;
  std::int64_t maxInputBytes = 1 << 20;
  std::int64_t maxOutputBytes = 10 << 20;
  std::int64_t maxMemoryBytes = 512 << 20;
  std::int64_t maxProcesses = 256;
  std::int64_t maxDiskBytes = 64 << 20;
  std::int64_t maxFiles = 1'000;
  std::int64_t maxOpenFiles = 1'024;
  std::optional<double> maxCostDollars;
};

Limits smaller(const Limits& a, const Limits& b);  // each limit the smaller of both
EffectiveLimits effective(const Limits& limits);

// One variable that the band takes from its caller (BAND.md `env`).
struct EnvRule {
  std::string name;  // [A-Za-z_][A-Za-z0-9_]*, at most 128 bytes
  bool required = true;
  bool secret = true;                   // masked in the answer and in logs
  std::optional<std::string> fallback;  // `default:` of the band; makes it not required
  std::string description;
  std::string origin;
};

struct Rules {
  Domain cli, net, read, write;
  Limits limit;
  std::vector<EnvRule> env;
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
