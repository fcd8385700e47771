#include "schemas/permit/algebra.h"

#include <algorithm>
#include <map>
#include <set>
#include <type_traits>

#include "schemas/pattern/pattern.h"
#include "schemas/rules/placeholders.h"

namespace band {
namespace {

// Appends the rules whose patterns are new; a pattern keeps its first origin. The pattern is optional only if all rules
// with this pattern are optional, because any other rule requires the path to exist. It has `dot` if one of the rules
// has it, because that rule allows more.
void append_new(RuleSet& to, const RuleSet& from) {
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < to.size(); ++i) seen.emplace(to[i].pattern, i);
  for (const Rule& rule : from) {
    const auto [at, is_new] = seen.emplace(rule.pattern, to.size());
    if (is_new) {
      to.push_back(rule);
      continue;
    }
    Rule& same = to[at->second];
    same.optional = same.optional && rule.optional;
    same.dot = same.dot || rule.dot;
  }
}

std::set<std::pair<std::string, bool>> patterns_of(const RuleSet& layer) {
  std::set<std::pair<std::string, bool>> patterns;
  for (const Rule& rule : layer) patterns.emplace(rule.pattern, rule.dot);
  return patterns;
}

// Skips a layer that is already present: it changes nothing in a conjunction.
void add_layer(std::vector<RuleSet>& layers, RuleSet layer) {
  const auto same = [&](const RuleSet& other) { return patterns_of(other) == patterns_of(layer); };
  if (std::none_of(layers.begin(), layers.end(), same)) layers.push_back(std::move(layer));
}

void unite_closed(Domain& out, const Domain& a, const Domain& b) {
  out.deny = a.deny;
  append_new(out.deny, b.deny);
  out.insist = a.insist;
  append_new(out.insist, b.insist);
}

// The time for comparing two patterns is at most proportional to the product of their lengths, and rules can be
// untrusted input. This number of steps takes a fraction of a second.
constexpr std::size_t kMaxSteps = 1u << 28;

struct InsistCheck {
  std::vector<Diagnostic> found;
  std::size_t steps = 0;

  bool spend(const Rule& a, const Rule& b) {
    steps += (a.pattern.size() + 1) * (b.pattern.size() + 1);
    return steps <= kMaxSteps;
  }

  void complain(const Rule& insist, std::string message, std::string hint) {
    found.push_back(at_origin(insist.origin, std::move(message), std::move(hint)));
  }
};

bool insist_covered(const PathPattern& allow, const PathPattern& insist) { return allow.covers(insist); }
bool insist_denied(const PathPattern& deny, const PathPattern& insist) {
  return deny.covers(insist, PathPattern::Reading::Denies);
}
bool insist_covered(const CliPattern& allow, const CliPattern& insist) { return allow.covers(insist); }
bool insist_denied(const CliPattern& deny, const CliPattern& insist) { return deny.covers(insist); }
bool insist_covered(const NetPattern& allow, const NetPattern& insist) { return allow.covers(insist); }
bool insist_denied(const NetPattern& deny, const NetPattern& insist) { return deny.covers(insist); }

// A deny rule for a path also denies everything below the path.
std::optional<PathPattern> denied_below(const PathPattern& deny) { return deny.below(); }
std::optional<CliPattern> denied_below(const CliPattern&) { return std::nullopt; }
std::optional<NetPattern> denied_below(const NetPattern&) { return std::nullopt; }

// The pattern as it is read in a deny.
PathPattern as_deny(PathPattern pattern) { return pattern; }  // insist_denied() passes Reading::Denies
CliPattern as_deny(const CliPattern& pattern) { return pattern.as_deny(); }
NetPattern as_deny(const NetPattern& pattern) { return pattern.as_deny(); }

template <class Pattern>
struct Parsed {
  const Rule* rule;
  Result<Pattern> pattern;
  std::optional<Pattern> below = {};  // only of deny rules: denied_below()
};

template <class Pattern>
std::vector<Parsed<Pattern>> parse_all(const RuleSet& rules) {
  std::vector<Parsed<Pattern>> parsed;
  for (const Rule& rule : rules) parsed.push_back({&rule, Pattern::parse(rule.pattern)});
  return parsed;
}

template <class Pattern>
void check_domain(const char* name, const Domain& domain, InsistCheck& check) {
  if (domain.insist.empty()) return;
  std::vector<std::vector<Parsed<Pattern>>> layers;
  for (const RuleSet& layer : domain.opened) layers.push_back(parse_all<Pattern>(layer));
  auto denies = parse_all<Pattern>(domain.deny);
  for (auto& deny : denies) {
    if (!deny.pattern.ok()) continue;
    deny.pattern = as_deny(std::move(deny.pattern).value());
    deny.below = denied_below(deny.pattern.value());
  }
  const std::string section = std::string("insist.") + name;
  for (const Rule& rule : domain.insist) {
    if (std::is_same_v<Pattern, PathPattern> && placeholder_of(rule.pattern)) continue;  // the input is not known yet
    const Result<Pattern> insist = Pattern::parse(rule.pattern);
    if (!insist.ok()) {
      check.complain(rule, section + ": " + insist.error().doing, insist.error().hint);
      continue;
    }
    bool affordable = true;
    const auto covered_by = [&](const Parsed<Pattern>& allow) {
      if (allow.rule->pattern == rule.pattern) return true;
      affordable = affordable && check.spend(*allow.rule, rule);
      return affordable && allow.pattern.ok() && insist_covered(allow.pattern.value(), insist.value());
    };
    const auto denied_by = [&](const Parsed<Pattern>& deny) {
      affordable = affordable && check.spend(*deny.rule, rule);
      return affordable && deny.pattern.ok() &&
             (insist_denied(deny.pattern.value(), insist.value()) ||
              (deny.below && insist_denied(*deny.below, insist.value())));
    };
    const bool open = !layers.empty() && std::all_of(layers.begin(), layers.end(), [&](const auto& layer) {
      return std::any_of(layer.begin(), layer.end(), covered_by);
    });
    const auto deny = std::find_if(denies.begin(), denies.end(), denied_by);
    if (!affordable)
      return check.complain(rule, section + ": too many long patterns to compare", "write fewer or shorter patterns");
    if (!open)
      check.complain(rule, section + ": \"" + rule.pattern + "\" is not allowed completely",
                     "allow it in every band that this one extends, and in the operator's ceiling, or insist on less");
    if (deny != denies.end())
      check.complain(rule,
                     section + ": \"" + rule.pattern + "\" is denied by \"" + deny->rule->pattern + "\"" +
                         (deny->rule->origin.empty() ? "" : " (" + deny->rule->origin + ")"),
                     "remove one of the two: a denied action can never happen");
  }
}

}  // namespace

Domain unite(const Domain& a, const Domain& b) {
  Domain out;
  unite_closed(out, a, b);
  if (a.opens_nothing() || b.opens_nothing()) {
    out.opened = a.opens_nothing() ? b.opened : a.opened;
    if (out.opens_nothing()) out.opened.clear();
    return out;
  }
  // (A1 and A2) or (B1 and B2) is (A1 or B1) and (A1 or B2) and (A2 or B1) and (A2 or B2).
  for (const RuleSet& left : a.opened)
    for (const RuleSet& right : b.opened) {
      RuleSet layer = left;
      append_new(layer, right);
      add_layer(out.opened, std::move(layer));
    }
  return out;
}

Domain restrict_to(const Domain& inner, const Domain& outer) {
  Domain out;
  unite_closed(out, inner, outer);
  if (inner.opens_nothing() || outer.opens_nothing()) return out;
  for (const RuleSet& layer : inner.opened) add_layer(out.opened, layer);
  for (const RuleSet& layer : outer.opened) add_layer(out.opened, layer);
  return out;
}

std::vector<Diagnostic> check_insists(const Rules& rules) {
  InsistCheck check;
  check_domain<CliPattern>("cli", rules.cli, check);
  check_domain<NetPattern>("net", rules.net, check);
  check_domain<PathPattern>("read", rules.read, check);
  check_domain<PathPattern>("write", rules.write, check);
  sort_by_place(check.found);
  return std::move(check.found);
}

}  // namespace band
