#include "schemas/rules/path_rules.h"

#include <algorithm>

#include "schemas/core/obeyed_names.h"
#include "schemas/rules/named_path.h"

namespace band {
namespace {

Result<std::vector<PathPattern>> parse_all(const RuleSet& rules) {
  std::vector<PathPattern> patterns;
  for (const Rule& rule : rules) {
    auto pattern = PathPattern::parse(rule.pattern);
    if (!pattern.ok()) {
      Error error = std::move(pattern).error();
      if (!rule.origin.empty()) error.doing = rule.origin + ": " + error.doing;
      return error;
    }
    patterns.push_back(std::move(pattern).value());
  }
  return patterns;
}

}  // namespace

Result<PathRules> PathRules::compile(const Domain& domain, Use use) {
  PathRules rules;
  rules.use_ = use;
  rules.domain_ = domain;
  for (const RuleSet& layer : domain.opened) {
    BAND_TRY(std::vector<PathPattern> patterns, parse_all(layer));
    rules.opened_.push_back(std::move(patterns));
  }
  BAND_TRY(rules.deny_, parse_all(domain.deny));
  return rules;
}

// Returns the rule that denies the path or the nearest directory to the root; of several such rules, the first one.
const PathPattern* PathRules::denying(std::string_view path, bool absolute) const {
  const PathPattern* deny = nullptr;
  std::size_t denied = 0;
  for (const PathPattern& pattern : deny_) {
    if (pattern.absolute() != absolute) continue;
    const auto length = pattern.shortest_match(path, PathPattern::Reading::Denies);
    if (!length || (deny != nullptr && *length >= denied)) continue;
    deny = &pattern;
    denied = *length;
  }
  return deny;
}

PathRules::Asked PathRules::ask(std::string_view path, bool absolute) const {
  Asked asked{path, absolute, {}};
  if (use_ == Use::Read || absolute) return asked;
  asked.hidden = has_hidden_name(path);
  for (const ObeyedPart& part : obeyed_parts(path)) {
    if (part.name->opened_by != OpenedBy::Spelling) continue;
    asked.obeyed = true;
    if (asked.spelled.size() < part.end) asked.spelled.resize(part.end);
    std::fill(asked.spelled.begin() + static_cast<std::ptrdiff_t>(part.first),
              asked.spelled.begin() + static_cast<std::ptrdiff_t>(part.end), true);
  }
  return asked;
}

const PathPattern* PathRules::opening(std::size_t layer, const Asked& asked) const {
  for (std::size_t i = 0; i < opened_[layer].size(); ++i) {
    const PathPattern& pattern = opened_[layer][i];
    const Rule& rule = domain_.opened[layer][i];
    if (pattern.absolute() != asked.absolute) continue;
    if ((rule.dot || rule.from_input) && (asked.obeyed || (asked.hidden && !rule.dot))) continue;
    if (pattern.matches_spelled(asked.path, asked.spelled)) return &pattern;
  }
  return nullptr;
}

bool PathRules::all_open(const Asked& asked) const {
  for (std::size_t layer = 0; layer < opened_.size(); ++layer)
    if (opening(layer, asked) == nullptr) return false;
  return !opened_.empty();
}

bool PathRules::denies(std::string_view path, bool absolute) const { return denying(path, absolute) != nullptr; }

bool PathRules::opens(std::string_view path, bool absolute) const {
  const auto matches_in = [&](const std::vector<PathPattern>& layer) {
    return std::any_of(layer.begin(), layer.end(), [&](const PathPattern& pattern) {
      return pattern.absolute() == absolute && pattern.matches(path);
    });
  };
  // Cheaper than ask(), and false for most paths of a workspace.
  if (opened_.empty() || !std::all_of(opened_.begin(), opened_.end(), matches_in)) return false;
  return all_open(ask(path, absolute)) && !denies(path, absolute);
}

bool PathRules::spells_name(std::string_view path, bool absolute) const {
  Asked asked = ask(path, absolute);
  asked.obeyed = true;
  asked.spelled.resize(static_cast<std::size_t>(std::count(path.begin(), path.end(), '/')) + 1);
  asked.spelled.back() = true;
  return all_open(asked) && !denies(path, absolute);
}

PathVerdict PathRules::judge(std::string_view path, bool absolute) const {
  PathVerdict verdict;
  if (const PathPattern* deny = denying(path, absolute)) {
    verdict.index = static_cast<std::size_t>(deny - deny_.data());
    verdict.section = "deny";
    verdict.rule = domain_.deny[verdict.index];
    return verdict;
  }
  if (opened_.empty()) return verdict;
  const Asked asked = ask(path, absolute);
  for (std::size_t layer = 0; layer < opened_.size(); ++layer) {
    if (opening(layer, asked) != nullptr) continue;
    verdict.index = layer;
    return verdict;
  }
  const Rule& rule = domain_.opened.front()[static_cast<std::size_t>(opening(0, asked) - opened_.front().data())];
  const auto is_it = [&](const Rule& insist) { return insist.pattern == rule.pattern && insist.origin == rule.origin; };
  verdict.allowed = true;
  verdict.rule = rule;
  verdict.section = std::any_of(domain_.insist.begin(), domain_.insist.end(), is_it) ? "insist" : "allow";
  return verdict;
}

bool PathRules::may_open_below(std::string_view dir, bool absolute) const {
  const auto layer_may = [&](const std::vector<PathPattern>& layer) {
    return std::any_of(layer.begin(), layer.end(), [&](const PathPattern& pattern) {
      return pattern.absolute() == absolute && pattern.may_match_below(dir);
    });
  };
  return !opened_.empty() && std::all_of(opened_.begin(), opened_.end(), layer_may);
}

}  // namespace band
