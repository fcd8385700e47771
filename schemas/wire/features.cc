#include "schemas/wire/features.h"

#include <algorithm>

#include "schemas/core/hex.h"
#include "schemas/core/json.h"
#include "schemas/wire/wire.h"

namespace band {
namespace {

constexpr std::size_t kDigestDigits = 64;

// Returns whether `value` has the member at `path` (Feature::members).
bool has_member(const Json& value, std::string_view path) {
  if (path.empty()) return true;
  if (path.starts_with("[]")) {
    path.remove_prefix(2);
    return value.is_array() &&
           std::any_of(value.begin(), value.end(), [&](const Json& element) { return has_member(element, path); });
  }
  if (path.front() == '.') path.remove_prefix(1);
  const std::string_view name = path.substr(0, path.find_first_of(".["));
  if (!value.is_object()) return false;
  const auto member = value.find(name);
  return member != value.end() && has_member(*member, path.substr(name.size()));
}

bool needs(const Json& request, const Feature& feature) {
  return std::any_of(feature.members.begin(), feature.members.end(),
                     [&](std::string_view member) { return !member.empty() && has_member(request, member); });
}

}  // namespace

bool is_feature_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

std::vector<std::string> feature_names() {
  std::vector<std::string> names;
  names.reserve(kFeatures.size());
  for (const Feature& feature : kFeatures) names.emplace_back(feature.name);
  return names;
}

std::vector<Feature> needed_features(const Json& request, std::span<const Feature> all) {
  std::vector<Feature> needed;
  std::copy_if(all.begin(), all.end(), std::back_inserter(needed),
               [&](const Feature& feature) { return needs(request, feature); });
  return needed;
}

RequestBody body_of(const ExecRequest& request) {
  const Json value = request_to_json(request);
  return {dump_json(value), needed_features(value)};
}

bool ServerBuild::has(const Feature& feature) const {
  return std::find(features.begin(), features.end(), feature.name) != features.end();
}

ServerBuild build_from_json(const Json& value) {
  ServerBuild build;
  if (!value.is_object()) return build;
  const auto source = value.find("source");
  if (source != value.end() && source->is_string())
    if (const auto& digest = source->get_ref<const std::string&>(); is_hex(digest, kDigestDigits))
      build.source = digest;
  const auto features = value.find("features");
  if (features == value.end() || !features->is_array()) return build;
  const std::size_t most = std::min(features->size(), kMostFeatures);
  for (std::size_t i = 0; i < most; ++i) {
    const Json& name = (*features)[i];
    if (name.is_string() && is_feature_name(name.get_ref<const std::string&>()))
      build.features.push_back(name.get<std::string>());
  }
  return build;
}

Age age_of_server(const ServerBuild& server, std::string_view own_source, std::span<const Feature> own) {
  if (server.source.empty()) return Age::Older;
  if (server.source == own_source) return Age::Same;
  const bool lacks = std::any_of(own.begin(), own.end(), [&](const Feature& feature) { return !server.has(feature); });
  const bool knows_more = std::any_of(server.features.begin(), server.features.end(), [&](const std::string& name) {
    return std::none_of(own.begin(), own.end(), [&](const Feature& feature) { return feature.name == name; });
  });
  if (lacks != knows_more) return lacks ? Age::Older : Age::Newer;
  return own_source.empty() && !lacks ? Age::Same : Age::Other;
}

}  // namespace band
