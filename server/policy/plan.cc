#include "server/policy/plan.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "schemas/core/json_fwd.h"
#include "schemas/rules/checks.h"
#include "schemas/rules/net_rules.h"
#include "schemas/wire/masked.h"
#include "server/layout/places.h"

namespace band::policy {
namespace {

constexpr std::size_t kMaxEnvTotalBytes = 1 << 20;

Error refused(Code code, std::string what, std::string hint = "") {
  return Error{.code = code, .doing = std::move(what), .hint = std::move(hint)};
}

Status add_variable(const EnvRule& rule, const std::map<std::string, std::string>& values,
                    std::vector<std::string>& env, std::size_t& total) {
  const auto given = values.find(rule.name);
  const std::string* value = given != values.end() ? &given->second : rule.fallback ? &*rule.fallback : nullptr;
  if (value == nullptr) {
    if (!rule.required) return done();
    return refused(Code::SecretMissing, "the required variable " + rule.name + " was not sent");
  }
  total += rule.name.size() + value->size() + 2;
  if (value->size() > kMaxEnvValueBytes || total > kMaxEnvTotalBytes)
    return refused(Code::BadRequest, "the variable " + rule.name + " is too large",
                   "use at most " + std::to_string(kMaxEnvValueBytes) + " bytes, or pass a file instead");
  if (value->find('\0') != std::string::npos)
    return refused(Code::BadRequest, "the variable " + rule.name + " contains a NUL byte");
  env.push_back(rule.name + "=" + *value);
  return done();
}

Result<std::vector<std::string>> environment(const ExecRequest& request, const Rules& rules,
                                             const EffectiveLimits& limits) {
  std::set<std::string_view> known;
  for (const EnvRule& rule : rules.env) known.insert(rule.name);
  for (const auto* values : {&request.env, &request.secrets})
    for (const auto& [name, value] : *values)
      if (known.count(name) == 0)
        return refused(Code::BadRequest, "the variable " + name + " was sent, but the band does not name it");
  std::vector<std::string> env = {"PATH=/band/bin:/usr/bin",
                                  "HOME=/tmp",
                                  "TMPDIR=/tmp",
                                  "LANG=C.UTF-8",
                                  "USER=band-runner",
                                  "LOGNAME=band-runner",
                                  "SHELL=/usr/bin/bash",
                                  std::string("PWD=") + layout::kWork,
                                  std::string("INPUT_PATH=") + layout::kInput,
                                  std::string("CONFIG_PATH=") + layout::kConfig,
                                  std::string("BAND_LIB=") + layout::kLib,
                                  std::string("OUTPUT_PATH=") + layout::kOut + "/" + layout::kOutputName,
                                  std::string("ERROR_PATH=") + layout::kOut + "/" + layout::kErrorName,
                                  "BAND_SCRIPT=" + request.script};
  if (limits.maxCostDollars) env.push_back("BAND_MAX_COST_DOLLARS=" + dollars_text(*limits.maxCostDollars));
  if (request.terminal && known.count("TERM") == 0) env.push_back("TERM=" + request.terminal->type);
  std::size_t total = 0;
  for (const EnvRule& rule : rules.env)
    BAND_CHECK(add_variable(rule, rule.secret ? request.secrets : request.env, env, total));
  return env;
}

// Sets the variables with which OpenSSL, Go and Node.js find trusted certificates; other programs read these files by
// default. A variable that the band declares is not set here.
void add_certificates(const Rules& rules, const SiteConfig& site, std::vector<std::string>& env) {
  const auto add = [&](const std::string& name, const char* path) {
    const auto declared = [&](const EnvRule& rule) { return rule.name == name; };
    if (std::none_of(rules.env.begin(), rules.env.end(), declared)) env.push_back(name + "=" + path);
  };
  add("SSL_CERT_FILE", layout::kCertificates);
  if (!site.gateway.extra_ca.empty()) add("NODE_EXTRA_CA_CERTS", layout::kExtraCertificates);
}

std::vector<std::string> values_to_mask(const ExecRequest& request) {
  std::vector<std::string> values;
  for (const auto& [name, value] : request.secrets)
    if (value.size() >= kMaskedFrom) values.push_back(value);
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return values;
}

Result<std::optional<gateway::Policy>> plan_gateway(const Domain& net, const SiteConfig& site) {
  BAND_TRY(const NetRules rules, NetRules::compile(net));
  if (rules.empty()) return std::optional<gateway::Policy>();
  return std::optional<gateway::Policy>({net, site.gateway, site.port});
}

}  // namespace

Result<ExecutionPlan> plan(const ExecRequest& request, const SiteConfig& site) {
  if (!is_script_name(request.script))
    return refused(Code::BadRequest, "script: not of the form skill/script",
                   "write skill/script, for example hello/greet");
  ExecutionPlan plan;
  BAND_TRY(static_cast<Permitted&>(plan),
           permit(request.rules, request.files, site.ceiling, site.gateway.allow_private));
  BAND_TRY(plan.gateway, plan_gateway(plan.rules.net, site));
  const std::size_t input = json_size(request.input);
  if (static_cast<std::int64_t>(input) > plan.limits.maxInputBytes)
    return refused(Code::LimitExceeded,
                   "the input has " + std::to_string(input) + " bytes; limit.maxInputBytes is " +
                       std::to_string(plan.limits.maxInputBytes),
                   "put large data into a file of the workspace, and name the file in allow.read");
  BAND_TRY(plan.env, environment(request, plan.rules, plan.limits));
  add_certificates(plan.rules, site, plan.env);
  plan.secrets = values_to_mask(request);
  return plan;
}

}  // namespace band::policy
