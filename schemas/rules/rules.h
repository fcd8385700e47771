// Rules: a band after composition (docs/architecture.md 6.1). Plain data. Everything is denied unless a rule allows it.
//
// There are four domains: `cli` (command lines), `net` (hosts), `read` and `write` (paths). In the names of functions
// and members, *opened* means: allowed by the allow and insist rules, before deny rules are applied.
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
  // For a path of the machine: if true, the run does not fail if the path is missing. For a `read` pattern of the
  // workspace: if true, band prints no note if no file matches; the run does not fail in either case.
  bool optional = false;
  // For a placeholder of `write`, and for the pattern that replaces it: whether the value may have names that begin
  // with a dot. Even then it opens no name that programs execute or obey (schemas/core/obeyed_names.h).
  bool dot = false;
  // Set by with_input() (placeholders.h): the pattern is the value of a placeholder. Requests do not have this member.
  bool from_input = false;

  bool operator==(const Rule&) const = default;
};
using RuleSet = std::vector<Rule>;

// The rules of one domain. A layer is a list of allow and insist rules; a band without `extends` has one layer. A
// command line, host or path is allowed if there is at least one layer, every layer has a rule that matches it, and no
// deny rule matches it. `extends` and the operator's ceiling add layers; `includes` adds rules to each layer.
struct Domain {
  std::vector<RuleSet> opened;  // the layers; nothing is allowed if there is no layer or if a layer is empty
  RuleSet deny;
  RuleSet insist;  // the insist rules, which are also in `opened`
  // The number of layers at the end of `opened`, and of rules at the end of `deny`, that are the operator's ceiling.
  // Only permit() (schemas/permit) sets them. They are not part of a request.
  std::size_t of_ceiling = 0, denied_by_ceiling = 0;

  bool opens_nothing() const;
  bool operator==(const Domain&) const = default;
};

// One environment variable that the band accepts from its caller (`env` in BAND.md).
struct EnvRule {
  std::string name;  // [A-Za-z_][A-Za-z0-9_]*, at most 128 bytes
  bool required = true;
  bool secret = true;                   // masked in the answer and in logs
  std::optional<std::string> fallback;  // `default:` in the band; a variable with a default is not required
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

// The form of rules in a request, described in wire.schema.json. `rules_from_json` checks types, sizes and patterns,
// because the server calls it with untrusted input.
Json rules_to_json(const Rules& rules);
Result<Rules> rules_from_json(const Json& value);

// Returns an object with `pattern` and `origin`: the details of a ledger entry about a rule.
JsonValue rule_details(const Rule& rule);

inline constexpr std::size_t kMaxRules = 4096;  // in all domains and layers together
inline constexpr std::size_t kMaxLayers = 32;   // in one domain

}  // namespace band
