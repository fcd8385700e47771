#include "schemas/rules/path_rules.h"

#include <algorithm>

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

Result<PathRules> PathRules::compile(const Domain& domain) {
  PathRules rules;
  for (const RuleSet& layer : domain.opened) {
    BAND_TRY(std::vector<PathPattern> patterns, parse_all(layer));
    rules.opened_.push_back(std::move(patterns));
  }
  BAND_TRY(rules.deny_, parse_all(domain.deny));
  return rules;
}

bool PathRules::denies(std::string_view path, bool absolute) const {
  const auto names = [&](std::string_view prefix) {
    return std::any_of(deny_.begin(), deny_.end(), [&](const PathPattern& pattern) {
      return pattern.absolute() == absolute && pattern.matches(prefix, PathPattern::Reading::Denies);
    });
  };
  for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
    if (names(path.substr(0, end))) return true;
    if (end == std::string_view::npos) return false;
  }
}

bool PathRules::opens(std::string_view path, bool absolute) const {
  const auto layer_opens = [&](const std::vector<PathPattern>& layer) {
    return std::any_of(layer.begin(), layer.end(), [&](const PathPattern& pattern) {
      return pattern.absolute() == absolute && pattern.matches(path);
    });
  };
  return !opened_.empty() && std::all_of(opened_.begin(), opened_.end(), layer_opens) && !denies(path, absolute);
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
