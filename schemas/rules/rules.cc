#include "schemas/rules/rules.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "schemas/core/json.h"
#include "schemas/core/json_reader.h"
#include "schemas/pattern/pattern.h"
#include "schemas/rules/checks.h"

namespace band {
namespace {

using wire::bad;
using wire::Reader;
using wire::shown;
using wire::wrong_type;

constexpr std::size_t kMaxPatternBytes = 4096;
constexpr std::size_t kMaxOriginBytes = 1024;
constexpr std::size_t kMaxTextBytes = 4096;            // a description or a default
constexpr std::size_t kMaxAllPatternBytes = 1u << 20;  // the size of 16 files of 64 KiB
constexpr std::size_t kMaxEnvRules = 256;

struct DomainKey {
  const char* name;
  Domain Rules::*member;
};
constexpr DomainKey kDomains[] = {
    {"cli", &Rules::cli}, {"net", &Rules::net}, {"read", &Rules::read}, {"write", &Rules::write}};

Json set_to_json(const RuleSet& rules) {
  Json list = Json::array();
  for (const Rule& rule : rules) {
    list.push_back(*rule_details(rule));
    if (rule.optional) list.back()["optional"] = true;
    if (rule.dot) list.back()["dot"] = true;
  }
  return list;
}

Json domain_to_json(const Domain& domain) {
  Json opened = Json::array();
  for (const RuleSet& layer : domain.opened) opened.push_back(set_to_json(layer));
  Json value = Json::object();
  value["opened"] = std::move(opened);
  value["deny"] = set_to_json(domain.deny);
  value["insist"] = set_to_json(domain.insist);
  return value;
}

Json env_to_json(const EnvRule& rule) {
  Json value = Json::object();
  value["name"] = rule.name;
  value["required"] = rule.required;
  value["secret"] = rule.secret;
  if (rule.fallback) value["default"] = *rule.fallback;
  if (!rule.description.empty()) value["description"] = rule.description;
  value["origin"] = rule.origin;
  return value;
}

// Counts the rules of one message, so that many small lists have the same bound as one large list.
struct Budget {
  std::size_t rules = 0, pattern_bytes = 0;
};

// `opens`: the list is a layer of allow and insist rules.
Result<RuleSet> set_from_json(const Json& list, const std::string& where, std::string_view domain, bool opens,
                              Budget& budget) {
  if (!list.is_array()) return bad(wrong_type(where, "an array of rules", list));
  RuleSet rules;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string item = where + "[" + std::to_string(i) + "]";
    Reader reader(list[i], item);
    reader.only({"pattern", "origin", "optional", "dot"});
    Rule rule;
    rule.pattern = reader.text("pattern", kMaxPatternBytes);
    rule.origin = reader.text("origin", kMaxOriginBytes, false);
    rule.optional = reader.boolean("optional", false);
    rule.dot = reader.boolean("dot", false);
    if (reader.failed()) return reader.error();
    budget.pattern_bytes += rule.pattern.size();
    if (++budget.rules > kMaxRules)
      return bad("rules: more than " + std::to_string(kMaxRules) + " rules", "write fewer, wider patterns");
    if (budget.pattern_bytes > kMaxAllPatternBytes)
      return bad("rules: more than 1 MiB of patterns", "write fewer, wider patterns");
    if (Status status = check_pattern(domain, rule.pattern); !status.ok())
      return bad(item + ": " + status.error().doing, status.error().hint);
    if (Status status = check_optional(rule, domain, opens); !status.ok())
      return bad(item + ": " + status.error().doing, status.error().hint);
    if (Status status = check_dot(rule, domain); !status.ok())
      return bad(item + ": " + status.error().doing, status.error().hint);
    rules.push_back(std::move(rule));
  }
  return rules;
}

Result<Domain> domain_from_json(const Json& value, const std::string& where, std::string_view name, Budget& budget) {
  Domain domain;
  Reader reader(value, where);
  reader.only({"opened", "deny", "insist"});
  const Json* opened = reader.find("opened", false);
  const Json* deny = reader.find("deny", false);
  const Json* insist = reader.find("insist", false);
  if (reader.failed()) return reader.error();
  if (opened != nullptr) {
    if (!opened->is_array()) return bad(wrong_type(where + ".opened", "an array of layers", *opened));
    if (opened->size() > kMaxLayers)
      return bad(where + ".opened: more than " + std::to_string(kMaxLayers) + " layers", "extend fewer bands");
    for (std::size_t i = 0; i < opened->size(); ++i) {
      BAND_TRY(RuleSet layer,
               set_from_json((*opened)[i], where + ".opened[" + std::to_string(i) + "]", name, true, budget));
      domain.opened.push_back(std::move(layer));
    }
  }
  if (deny != nullptr) {
    BAND_TRY(domain.deny, set_from_json(*deny, where + ".deny", name, false, budget));
  }
  if (insist != nullptr) {
    BAND_TRY(domain.insist, set_from_json(*insist, where + ".insist", name, false, budget));
  }
  return domain;
}

Result<EnvRule> env_from_json(const Json& value, const std::string& where) {
  EnvRule rule;
  Reader reader(value, where);
  reader.only({"name", "required", "secret", "default", "description", "origin"});
  rule.name = reader.text("name", 128);
  if (reader.find("default", false) != nullptr) rule.fallback = reader.text("default", kMaxTextBytes);
  rule.description = reader.text("description", kMaxTextBytes, false);
  rule.origin = reader.text("origin", kMaxOriginBytes, false);
  rule.required = reader.boolean("required", rule.required);
  rule.secret = reader.boolean("secret", rule.secret);
  if (reader.failed()) return reader.error();
  if (Status status = check_env_name(rule.name); !status.ok())
    return bad(where + ".name: " + status.error().doing, status.error().hint);
  return rule;
}

Result<std::vector<EnvRule>> env_list_from_json(const Json& list) {
  if (!list.is_array()) return bad(wrong_type("rules.env", "an array", list));
  if (list.size() > kMaxEnvRules) return bad("rules.env: more than 256 variables", "name fewer");
  std::vector<EnvRule> rules;
  std::set<std::string> names;
  for (std::size_t i = 0; i < list.size(); ++i) {
    BAND_TRY(EnvRule rule, env_from_json(list[i], "rules.env[" + std::to_string(i) + "]"));
    if (!names.insert(rule.name).second) return bad("rules.env: " + shown(rule.name) + " appears twice");
    rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace

bool Domain::opens_nothing() const {
  return opened.empty() ||
         std::any_of(opened.begin(), opened.end(), [](const RuleSet& layer) { return layer.empty(); });
}

JsonValue rule_details(const Rule& rule) { return Json{{"pattern", rule.pattern}, {"origin", rule.origin}}; }

Json rules_to_json(const Rules& rules) {
  Json value = Json::object();
  for (const DomainKey& key : kDomains) value[key.name] = domain_to_json(rules.*key.member);
  value["limit"] = limits_to_json(rules.limit);
  value["env"] = Json::array();
  for (const EnvRule& rule : rules.env) value["env"].push_back(env_to_json(rule));
  return value;
}

Result<Rules> rules_from_json(const Json& value) {
  Rules rules;
  Budget budget;
  Reader reader(value, "rules");
  reader.only({"cli", "net", "read", "write", "limit", "env"});
  if (reader.failed()) return reader.error();
  for (const DomainKey& key : kDomains) {
    const Json* domain = reader.find(key.name, false);
    if (domain == nullptr) continue;
    BAND_TRY(rules.*key.member, domain_from_json(*domain, std::string("rules.") + key.name, key.name, budget));
  }
  if (const Json* limit = reader.find("limit", false); limit != nullptr) {
    BAND_TRY(rules.limit, limits_from_json(*limit));
  }
  if (const Json* env = reader.find("env", false); env != nullptr) {
    BAND_TRY(rules.env, env_list_from_json(*env));
  }
  return rules;
}

}  // namespace band
