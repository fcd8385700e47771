#include "schemas/permit/narrow.h"

#include <algorithm>

#include "schemas/core/json.h"

namespace band {
namespace {

bool has(const Json& list, const Json& value) { return std::find(list.begin(), list.end(), value) != list.end(); }

Json in_both(const Json& a, const Json& b) {
  if (has(a, "*")) return b;
  if (has(b, "*")) return a;
  Json both = Json::array();
  for (const Json& value : a)
    if (has(b, value)) both.push_back(value);
  return both;
}

Json in_either(Json a, const Json& b) {
  for (const Json& value : b)
    if (!has(a, value)) a.push_back(value);
  return a;
}

Result<Json> join(const Json& a, const Json& b, const std::string& at, bool is_deny) {
  if (a.is_null() || a == b) return b;
  if (b.is_null()) return a;
  if (a.is_boolean() && b.is_boolean())
    return Json(is_deny ? a.get<bool>() || b.get<bool>() : a.get<bool>() && b.get<bool>());
  if (a.is_number() && b.is_number()) return std::min(a, b);
  if (a.is_array() && b.is_array()) return is_deny ? in_either(a, b) : in_both(a, b);
  if (!a.is_object() || !b.is_object())
    return Error{.code = Code::SkillInvalid,
                 .doing = "`" + at + "` is " + dump_json(a).substr(0, 80) + " in the band and cannot be changed to " +
                          dump_json(b).substr(0, 80),
                 .hint = "remove it: a configuration can only restrict what the band allows"};
  Json all = a;
  for (const auto& [name, value] : b.items()) {
    if (!all.contains(name)) {
      all[name] = value;
      continue;
    }
    std::string inner = at;
    inner.append(".").append(name);
    BAND_TRY(all[name], join(a[name], value, inner, is_deny || name == "deny"));
  }
  return all;
}

}  // namespace

Result<JsonValue> narrow(const Json& band, const Json& more, const std::string& name) {
  BAND_TRY(Json joined, join(band, more, name, false));
  return JsonValue(std::move(joined));
}

}  // namespace band
