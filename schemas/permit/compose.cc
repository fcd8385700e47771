#include "schemas/permit/compose.h"

#include <algorithm>
#include <utility>

#include "schemas/permit/algebra.h"
#include "schemas/permit/limits.h"
#include "schemas/permit/narrow.h"
#include "schemas/rules/placeholders.h"

namespace band {
namespace {

// The limits of one file, or the maxima of several files, each with its origin.
struct OriginLimits {
  Limits values;
  std::map<std::string, std::string> origins;  // name of a limit -> FILE:LINE
};

// A file with everything that it includes and extends.
struct Composed {
  BandFile band;
  Rules rules;        // without limits
  OriginLimits own;   // those that the file itself sets
  OriginLimits most;  // the maxima from the included and extended files (limits.h)
};

Domain domain_of(const RuleSet& allow, const RuleSet& deny, const RuleSet& insist) {
  Domain domain;
  RuleSet opened = allow;
  opened.insert(opened.end(), insist.begin(), insist.end());
  if (!opened.empty()) domain.opened.push_back(std::move(opened));
  domain.deny = deny;
  domain.insist = insist;
  return domain;
}

Rules rules_of(const BandFile& band) {
  Rules rules;
  rules.cli = domain_of(band.allow_cli, band.deny_cli, band.insist_cli);
  rules.net = domain_of(band.allow_net, band.deny_net, band.insist_net);
  rules.read = domain_of(band.allow_read, band.deny_read, band.insist_read);
  rules.write = domain_of(band.allow_write, band.deny_write, band.insist_write);
  rules.env = band.env;
  return rules;
}

OriginLimits own_limits(const BandFile& band) {
  OriginLimits limits{band.limit, {}};
  for (const LimitKey& key : kLimitKeys)
    if (band.limit.*key.member) limits.origins[key.name] = origin_of(band, std::string("/limit/") + key.name);
  if (band.limit.maxCostDollars) limits.origins["maxCostDollars"] = origin_of(band, "/limit/maxCostDollars");
  return limits;
}

// Calls `each(name, a's value, b's value)` for every limit.
template <class Each>
void for_each_limit(const Limits& a, const Limits& b, Each each) {
  for (const LimitKey& key : kLimitKeys) each(key.name, a.*key.member, b.*key.member);
  each("maxCostDollars", a.maxCostDollars, b.maxCostDollars);
}

// Adds `more` to the maxima.
void add_most(OriginLimits& most, const OriginLimits& more) {
  for_each_limit(most.values, more.values, [&](const char* name, const auto& mine, const auto& theirs) {
    if (theirs && (!mine || *theirs < *mine)) most.origins[name] = more.origins.at(name);
  });
  most.values = smaller(most.values, more.values);
}

// Sets the limits of `to`.
void conclude_limits(const OriginLimits& own, const OriginLimits& most, ComposedBand& to) {
  const EffectiveLimits all = effective(own.values, most.values);
  to.limit_origins = own.origins;
  Limits& sent = to.rules.limit;
  sent = own.values;
  for (const LimitKey& key : kLimitKeys) {
    const auto& mine = own.values.*key.member;
    const auto& maximum = most.values.*key.member;
    if (!maximum || mine == maximum) continue;
    const std::string& origin = most.origins.at(key.name);
    if (all.*key.effective == *maximum) {
      sent.*key.member = maximum;
      to.limit_origins[key.name] = origin;
    } else if (!mine) {
      to.unused_limits.push_back({std::string(key.name) + ": " + limit_in_units(key, *maximum), origin});
    }
  }
  sent.maxCostDollars = all.maxCostDollars;
  if (sent.maxCostDollars != own.values.maxCostDollars)
    to.limit_origins["maxCostDollars"] = most.origins.at("maxCostDollars");
}

// `required` takes precedence over a default, and `secret` over `secret: false`.
void unite_env(std::vector<EnvRule>& to, const std::vector<EnvRule>& from) {
  for (const EnvRule& rule : from) {
    const auto found =
        std::find_if(to.begin(), to.end(), [&](const EnvRule& other) { return other.name == rule.name; });
    if (found == to.end()) {
      to.push_back(rule);
      continue;
    }
    found->required = found->required || rule.required;
    found->secret = found->secret || rule.secret;
    if (found->required)
      found->fallback.reset();
    else if (!found->fallback)
      found->fallback = rule.fallback;
    if (found->description.empty()) found->description = rule.description;
  }
}

class Composer {
 public:
  explicit Composer(std::vector<Diagnostic>& errors) : errors_(errors) {}

  // Returns null after errors. A file that several others name is composed only once.
  const Composed* compose(const BandNode& node) {
    if (const auto known = done_.find(&node); known != done_.end()) return known->second ? &*known->second : nullptr;
    std::optional<Composed>& slot = done_[&node];  // references into a map stay valid
    slot = follow(node);
    return slot ? &*slot : nullptr;
  }

 private:
  void complain(const BandFile& band, const std::string& pointer, std::string message, std::string hint) {
    errors_.push_back(diagnostic_at(band, pointer, std::move(message), std::move(hint)));
  }

  std::optional<Composed> follow(const BandNode& node) {
    if (node.path != nullptr) {
      const Composed* target = compose(*node.path);
      if (target == nullptr) return std::nullopt;
      Composed composed = *target;
      composed.band.name = node.band.name;
      if (!node.band.description.empty()) composed.band.description = node.band.description;
      return composed;
    }
    Composed composed{node.band, rules_of(node.band), own_limits(node.band), {}};
    bool good = true;
    const auto each = [&](const std::vector<BandNode::Reference>& references, bool restricting) {
      for (const auto& [pointer, other] : references) {
        const Composed* found = compose(*other);
        good = good && found != nullptr && combine(composed, *found, restricting, pointer) &&
               add_config(composed.band, found->band, pointer);
      }
    };
    each(node.includes, false);
    each(node.extends, true);  // last, because it also restricts the included rules
    if (!good) return std::nullopt;
    return composed;
  }

  // The configuration of a band of another name belongs to other scripts and is not joined.
  bool add_config(BandFile& band, const BandFile& other, const std::string& pointer) {
    if (band.name != other.name) return true;
    auto joined = narrow(other.config, band.config, band.name);
    if (!joined.ok()) return complain(band, pointer, joined.error().doing, joined.error().hint), false;
    band.config = std::move(joined).value();
    return true;
  }

  bool combine(Composed& composed, const Composed& with, bool restricting, const std::string& pointer) {
    const BandFile& band = composed.band;
    std::size_t total = 0;
    for (Domain Rules::*domain : {&Rules::cli, &Rules::net, &Rules::read, &Rules::write}) {
      Domain& mine = composed.rules.*domain;
      const Domain& theirs = with.rules.*domain;
      // Checked before composing: composing multiplies the numbers of layers, so 16 files can produce thousands of
      // layers.
      const std::size_t layers =
          restricting ? mine.opened.size() + theirs.opened.size() : mine.opened.size() * theirs.opened.size();
      if (layers > kMaxLayers) {
        complain(band, pointer, "more than " + std::to_string(kMaxLayers) + " layers of rules", "extend fewer bands");
        return false;
      }
      mine = restricting ? restrict_to(mine, theirs) : unite(mine, theirs);
      total += mine.deny.size() + mine.insist.size();
      for (const RuleSet& layer : mine.opened) total += layer.size();
    }
    if (total > kMaxRules) {
      complain(band, pointer, "more than " + std::to_string(kMaxRules) + " rules in all",
               "write fewer, wider patterns");
      return false;
    }
    add_most(composed.most, with.own);
    add_most(composed.most, with.most);
    unite_env(composed.rules.env, with.rules.env);
    return true;
  }

  std::vector<Diagnostic>& errors_;
  std::map<const BandNode*, std::optional<Composed>> done_;
};

}  // namespace

std::optional<ComposedBand> compose(const BandFiles& files, std::vector<Diagnostic>& errors) {
  const std::size_t before = errors.size();
  Composer composer(errors);
  const Composed* composed = composer.compose(*files.first);
  if (composed == nullptr || errors.size() > before) return std::nullopt;
  std::vector<Diagnostic> insists = check_insists(composed->rules);
  errors.insert(errors.end(), insists.begin(), insists.end());
  if (!insists.empty()) return std::nullopt;
  ComposedBand band;
  band.band = composed->band;
  band.rules = composed->rules;
  band.files = files.files;
  band.named_by = files.named_by;
  conclude_limits(composed->own, composed->most, band);
  return band;
}

std::optional<ComposedBand> compose_band(const std::filesystem::path& skill_dir, const std::string& script_name,
                                         std::vector<Diagnostic>& errors, const BandDraft* draft) {
  const auto files = read_bands(skill_dir, script_name, errors, draft);
  if (!files) return std::nullopt;
  return compose(*files, errors);
}

std::optional<ComposedBand> compose_file(const std::filesystem::path& file, std::vector<Diagnostic>& errors) {
  const auto files = read_bands_from(file, errors);
  if (!files) return std::nullopt;
  return compose(*files, errors);
}

EffectiveLimits limits_of(const ComposedBand& band) { return effective(band.rules.limit); }

Result<Rules> compose_input(const Rules& rules, const Json& input) {
  BAND_TRY(Rules named, with_input(rules, input));
  if (const auto wrong = check_insists(named); !wrong.empty()) return skill_invalid(wrong);
  return named;
}

void add_rules(ComposedBand& band, const BandFile& more) {
  const Rules rules = rules_of(more);
  for (Domain Rules::*domain : {&Rules::cli, &Rules::net, &Rules::read, &Rules::write})
    band.rules.*domain = unite(band.rules.*domain, rules.*domain);
  for (const LimitKey& key : kLimitKeys)
    if (more.limit.*key.member) band.rules.limit.*key.member = more.limit.*key.member;
  if (more.limit.maxCostDollars) band.rules.limit.maxCostDollars = more.limit.maxCostDollars;
  unite_env(band.rules.env, rules.env);
}

void lengthen(ComposedBand& band, std::int64_t least_ms) {
  std::optional<std::int64_t>& most = band.rules.limit.maxRuntimeMs;
  most = std::max(most.value_or(0), least_ms);
}

}  // namespace band
