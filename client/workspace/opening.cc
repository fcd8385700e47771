#include "client/workspace/opening.h"

#include <algorithm>

namespace band::client {
namespace {

bool is_beneath(std::string_view path, std::string_view directory) {
  if (directory.empty() || path == directory) return true;
  return path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/';
}

}  // namespace

Result<Opening> Opening::of(const Domain& domain, bool absolute, PathRules::Use use) {
  Opening opening;
  BAND_TRY(opening.rules_, PathRules::compile(domain, use));
  opening.absolute_ = absolute;
  return opening;
}

bool Opening::nothing() const {
  return !every_layer([](const PathPattern&) { return true; });
}

bool Opening::opens(std::string_view path) const { return !path.empty() && rules_.opens(path, absolute_); }

// Returns whether every layer has a pattern of this kind for which `matches` returns true.
bool Opening::every_layer(const std::function<bool(const PathPattern&)>& matches) const {
  const auto matches_kind = [&](const PathPattern& pattern) {
    return pattern.absolute() == absolute_ && matches(pattern);
  };
  const auto layer_matches = [&](const std::vector<PathPattern>& layer) {
    return std::any_of(layer.begin(), layer.end(), matches_kind);
  };
  return !rules_.opened().empty() && std::all_of(rules_.opened().begin(), rules_.opened().end(), layer_matches);
}

bool Opening::opens_but_for_dots(std::string_view path) const {
  return every_layer([&](const PathPattern& p) { return p.matches(path, PathPattern::Reading::Denies); }) &&
         !rules_.denies(path, absolute_);
}

bool Opening::may_open_below(std::string_view directory) const {
  return rules_.may_open_below(directory, absolute_) && (directory.empty() || !rules_.denies(directory, absolute_));
}

bool Opening::denies_all_below(std::string_view directory) const {
  if (rules_.denies(directory, absolute_)) return true;
  const auto all = PathPattern::parse((absolute_ ? "/" : "./") + escaped_path(directory) + "/**");
  return all.ok() && std::any_of(rules_.deny().begin(), rules_.deny().end(), [&](const PathPattern& deny) {
           return deny.absolute() == absolute_ && deny.covers(*all, PathPattern::Reading::Denies);
         });
}

bool Opening::may_open_below_but_for_dots(std::string_view directory) const {
  return every_layer(
             [&](const PathPattern& p) { return p.may_match_below(directory, PathPattern::Reading::Denies); }) &&
         !denies_all_below(directory);
}

std::set<std::string> Opening::literals() const {
  std::set<std::string> paths;
  for (const std::vector<PathPattern>& layer : rules_.opened())
    for (const PathPattern& pattern : layer)
      if (pattern.absolute() == absolute_ && pattern.is_literal()) paths.insert(pattern.literal_prefix());
  return paths;
}

std::vector<std::string> Opening::starts() const {
  std::vector<std::string> prefixes;
  if (nothing()) return prefixes;
  // Every opened path matches a pattern of the first layer.
  for (const PathPattern& pattern : rules_.opened().front())
    if (pattern.absolute() == absolute_) prefixes.push_back(pattern.literal_prefix());
  std::sort(prefixes.begin(), prefixes.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  std::vector<std::string> starts;
  for (const std::string& prefix : prefixes)
    if (std::none_of(starts.begin(), starts.end(), [&](const std::string& s) { return is_beneath(prefix, s); }))
      starts.push_back(prefix);
  std::sort(starts.begin(), starts.end());
  return starts;
}

}  // namespace band::client
