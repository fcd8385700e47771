#include "schemas/rules/limits.h"

#include <string_view>
#include <vector>

#include "schemas/core/json.h"
#include "schemas/core/json_reader.h"

namespace band {
namespace {

using wire::bad;
using wire::Reader;

const std::vector<std::string_view>& member_names() {
  static const auto names = [] {
    std::vector<std::string_view> all{"maxCostDollars"};
    for (const LimitKey& key : kLimitKeys) all.emplace_back(key.name);
    return all;
  }();
  return names;
}

}  // namespace

std::string limit_in_units(const LimitKey& key, std::int64_t value) {
  using Step = std::pair<std::int64_t, const char*>;
  const std::vector<Step> durations = {{3'600'000, "h"}, {60'000, "m"}, {1'000, "s"}, {1, "ms"}};
  const std::vector<Step> sizes = {{1 << 30, "g"}, {1 << 20, "m"}, {1 << 10, "k"}};
  if (key.kind != LimitKey::Kind::Count)
    for (const auto& [factor, suffix] : key.kind == LimitKey::Kind::Duration ? durations : sizes)
      if (value % factor == 0) return std::to_string(value / factor) + suffix;
  return std::to_string(value);
}

std::string dollars_text(double dollars) { return dump_json(Json(dollars)); }

JsonValue lowered_details(const LimitKey& key, std::int64_t asked, std::int64_t given) {
  return Json{{"limit", key.name}, {"asked", asked}, {"given", given}};
}

Json limits_to_json(const Limits& limits) {
  Json value = Json::object();
  for (const LimitKey& key : kLimitKeys)
    if (limits.*key.member) value[key.name] = *(limits.*key.member);
  if (limits.maxCostDollars) value["maxCostDollars"] = *limits.maxCostDollars;
  return value;
}

Json limits_to_json(const EffectiveLimits& limits) {
  Json value = Json::object();
  for (const LimitKey& key : kLimitKeys) value[key.name] = limits.*key.effective;
  if (limits.maxCostDollars) value["maxCostDollars"] = *limits.maxCostDollars;
  return value;
}

Result<Limits> limits_from_json(const Json& value) {
  Limits limits;
  Reader reader(value, "rules.limit");
  reader.only(member_names());
  if (reader.failed()) return reader.error();
  for (const LimitKey& key : kLimitKeys)
    if (reader.find(key.name, false) != nullptr) limits.*key.member = reader.integer(key.name, 1, key.most);
  if (reader.find("maxCostDollars", false) != nullptr) {
    const double dollars = reader.number("maxCostDollars");
    if (!reader.failed() && !(dollars > 0 && dollars <= kMostDollars))
      return bad("rules.limit.maxCostDollars: must be above 0 and at most 1e9");
    limits.maxCostDollars = dollars;
  }
  if (reader.failed()) return reader.error();
  return limits;
}

}  // namespace band
