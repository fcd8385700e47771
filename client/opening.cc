#include "client/opening.h"

#include <algorithm>

namespace band::client {
namespace {

Result<std::vector<PathPattern>> parse_all(const RuleSet& rules, bool absolute) {
  std::vector<PathPattern> patterns;
  for (const Rule& rule : rules) {
    auto pattern = PathPattern::parse(rule.pattern);
    if (!pattern.ok()) {
      Error error = std::move(pattern).error();
      error.doing = rule.origin + ": " + error.doing;
      return error;
    }
    if (pattern->absolute() == absolute) patterns.push_back(std::move(pattern).value());
  }
  return patterns;
}

bool is_beneath(std::string_view path, std::string_view directory) {
  if (directory.empty() || path == directory) return true;
  return path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/';
}

}  // namespace

Result<Opening> Opening::of(const Domain& domain, bool absolute) {
  Opening opening;
  for (const RuleSet& layer : domain.opened) {
    BAND_TRY(auto patterns, parse_all(layer, absolute));
    opening.layers_.push_back(std::move(patterns));
  }
  BAND_TRY(opening.deny_, parse_all(domain.deny, absolute));
  return opening;
}

bool Opening::nothing() const {
  return layers_.empty() ||
         std::any_of(layers_.begin(), layers_.end(), [](const auto& layer) { return layer.empty(); });
}

bool Opening::denied(std::string_view path) const {
  // A denied directory denies what is in it, whatever follows: the safe reading of `deny: ["./private"]`.
  for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
    const std::string_view part = path.substr(0, end);
    for (const PathPattern& pattern : deny_)
      if (pattern.matches(part)) return true;
    if (end == std::string_view::npos) return false;
  }
}

bool Opening::opens(std::string_view path) const {
  if (path.empty() || nothing() || denied(path)) return false;
  return std::all_of(layers_.begin(), layers_.end(), [&](const auto& layer) {
    return std::any_of(layer.begin(), layer.end(), [&](const PathPattern& p) { return p.matches(path); });
  });
}

bool Opening::may_open_below(std::string_view directory) const {
  if (nothing() || (!directory.empty() && denied(directory))) return false;
  return std::all_of(layers_.begin(), layers_.end(), [&](const auto& layer) {
    return std::any_of(layer.begin(), layer.end(), [&](const PathPattern& p) { return p.may_match_below(directory); });
  });
}

std::vector<std::string> Opening::starts() const {
  std::vector<std::string> prefixes;
  if (nothing()) return prefixes;
  // Everything that is opened matches a pattern of the first layer.
  for (const PathPattern& pattern : layers_.front()) prefixes.push_back(pattern.literal_prefix());
  std::sort(prefixes.begin(), prefixes.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  std::vector<std::string> starts;
  for (const std::string& prefix : prefixes)
    if (std::none_of(starts.begin(), starts.end(), [&](const std::string& s) { return is_beneath(prefix, s); }))
      starts.push_back(prefix);
  std::sort(starts.begin(), starts.end());
  return starts;
}

}  // namespace band::client
