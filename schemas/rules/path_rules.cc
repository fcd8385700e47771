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
  rules.domain_ = domain;
  for (const RuleSet& layer : domain.opened) {
    BAND_TRY(std::vector<PathPattern> patterns, parse_all(layer));
    rules.opened_.push_back(std::move(patterns));
  }
  BAND_TRY(rules.deny_, parse_all(domain.deny));
  return rules;
}

const PathPattern* PathRules::denying(std::string_view path, bool absolute) const {
  const auto names = [&](std::string_view prefix) {
    return std::find_if(deny_.begin(), deny_.end(), [&](const PathPattern& pattern) {
      return pattern.absolute() == absolute && pattern.matches(prefix, PathPattern::Reading::Denies);
    });
  };
  for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
    if (const auto deny = names(path.substr(0, end)); deny != deny_.end()) return &*deny;
    if (end == std::string_view::npos) return nullptr;
  }
}

const PathPattern* PathRules::opening(const std::vector<PathPattern>& layer, std::string_view path, bool absolute) {
  const auto found = std::find_if(layer.begin(), layer.end(), [&](const PathPattern& pattern) {
    return pattern.absolute() == absolute && pattern.matches(path);
  });
  return found == layer.end() ? nullptr : &*found;
}

bool PathRules::denies(std::string_view path, bool absolute) const { return denying(path, absolute) != nullptr; }

bool PathRules::opens(std::string_view path, bool absolute) const {
  const auto opens_it = [&](const auto& layer) { return opening(layer, path, absolute) != nullptr; };
  return !opened_.empty() && std::all_of(opened_.begin(), opened_.end(), opens_it) && !denies(path, absolute);
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
  for (std::size_t layer = 0; layer < opened_.size(); ++layer) {
    if (opening(opened_[layer], path, absolute) != nullptr) continue;
    verdict.index = layer;
    return verdict;
  }
  const std::vector<PathPattern>& own = opened_.front();
  const Rule& rule = domain_.opened.front()[static_cast<std::size_t>(opening(own, path, absolute) - own.data())];
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
