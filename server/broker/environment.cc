#include "server/broker/environment.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "schemas/programs/programs.h"
#include "schemas/rules/checks.h"
#include "server/layout/places.h"

namespace band::broker {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

// Variables that are copied from the script's environment. The caller may override LANG.
constexpr std::string_view kShared[] = {"PATH",
                                        "USER",
                                        "LOGNAME",
                                        "SHELL",
                                        "INPUT_PATH",
                                        "OUTPUT_PATH",
                                        "ERROR_PATH",
                                        "CONFIG_PATH",
                                        "BAND_LIB",
                                        "BAND_SCRIPT",
                                        "BAND_MAX_COST_DOLLARS",
                                        "SSL_CERT_FILE",
                                        "NODE_EXTRA_CA_CERTS",
                                        "LANG"};

// Variables for language, time zone and terminal, copied from the caller. Values with `/` are refused, except in TZ:
// gettext opens LANGUAGE as a path, and a message catalogue is a list of format strings; terminfo opens TERM as a path.
constexpr std::string_view kFromCaller[] = {
    "LANG",           "LANGUAGE",    "LC_ALL",      "LC_ADDRESS", "LC_COLLATE", "LC_CTYPE", "LC_IDENTIFICATION",
    "LC_MEASUREMENT", "LC_MESSAGES", "LC_MONETARY", "LC_NAME",    "LC_NUMERIC", "LC_PAPER", "LC_TELEPHONE",
    "LC_TIME",        "TERM",        "COLORTERM",   "COLUMNS",    "LINES",      "NO_COLOR", "FORCE_COLOR",
    "CLICOLOR",       "TZ"};
constexpr std::size_t kMaxFromCallerBytes = 128;

// Variables that shells change themselves, and the variable that loads bash's prelude.
constexpr std::string_view kOfShells[] = {"PWD", "OLDPWD", "SHLVL", "_", "BASH_ENV"};
// Variables with a fixed value in each command, although a band may declare them.
constexpr std::string_view kFixed[] = {"PAGER",           "EDITOR",         "VISUAL",        "BROWSER",
                                       "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"};
constexpr std::size_t kMaxNameBytes = 128;  // the limit of check_env_name

// Variables that select the code, libraries or helpers of a program. A band may declare these variables, except LD_*
// and those of bash. The value of a declared variable comes from the request and not from the script.
constexpr std::string_view kSteeringPrefixes[] = {"BASH_", "CURL_", "DYLD_",  "GIT_",    "GLIBC_", "JAVA_",
                                                  "JDK_",  "LD_",   "LUA_",   "MALLOC_", "NODE_",  "NPM_",
                                                  "PERL",  "PHP_",  "PYTHON", "RUBY",    "SSL_",   "XDG_"};
constexpr std::string_view kSteering[] = {"ENV",      "GCONV_PATH",    "GEM_HOME", "GEM_PATH",     "HOSTALIASES",
                                          "IFS",      "LESSOPEN",      "LOCPATH",  "NLSPATH",      "TERMCAP",
                                          "TERMINFO", "TERMINFO_DIRS", "TZDIR",    "_JAVA_OPTIONS"};

template <std::size_t N>
bool is_one_of(const std::string_view (&list)[N], std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

bool is_steering(std::string_view name) {
  return is_one_of(kSteering, name) || std::any_of(std::begin(kSteeringPrefixes), std::end(kSteeringPrefixes),
                                                   [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool may_come_from_caller(std::string_view name, std::string_view value) {
  if (!is_one_of(kFromCaller, name) || value.size() > kMaxFromCallerBytes) return false;
  const bool zone = name == "TZ";  // e.g. Europe/Berlin; absolute paths are refused
  if (zone && (value.find("..") != std::string_view::npos || value.starts_with('/') || value.starts_with(':')))
    return false;
  return std::all_of(value.begin(), value.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (zone && c == '/') ||
           std::string_view("_.@:+,=-").find(c) != std::string_view::npos;
  });
}

// If a name has several values, the first value is used, as in getenv(3).
Variables variables_of(const std::vector<std::string>& list) {
  Variables variables;
  for (const std::string& entry : list) {
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos) variables.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return variables;
}

void copy(const Variables& from, std::string_view name, Variables& to) {
  const auto found = from.find(name);
  if (found != from.end()) to[std::string(name)] = found->second;
}

void set_fixed(const std::string& name, const std::string& directory, Variables& variables) {
  const std::string home = home_of(name);
  variables["HOME"] = home;
  variables["TMPDIR"] = home + "/tmp";
  variables["XDG_CONFIG_HOME"] = home + "/.config";
  variables["XDG_CACHE_HOME"] = home + "/.cache";
  variables["XDG_DATA_HOME"] = home + "/.local/share";
  variables["XDG_STATE_HOME"] = home + "/.local/state";
  variables["PWD"] = directory;
  variables["PAGER"] = "cat";
  for (const char* asks : {"EDITOR", "VISUAL", "BROWSER"}) variables[asks] = "/usr/bin/false";
}

bool is_variable_name(std::string_view name) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && name.size() <= kMaxNameBytes && plain(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return plain(c) || (c >= '0' && c <= '9'); });
}

bool has(const Variables& variables, const std::string& name, const std::string& value) {
  const auto found = variables.find(name);
  return found != variables.end() && found->second == value;
}

// Whether band has set the variable for a program, which then calls the command: PYTHONDONTWRITEBYTECODE for python3.
bool is_set_for_program(const std::string& name, const std::string& value) {
  const auto& programs = built_in_programs().programs;
  return std::any_of(programs.begin(), programs.end(), [&](const auto& entry) {
    const auto found = entry.second.env.find(name);
    return found != entry.second.env.end() && found->second == value;
  });
}

NotPassed::Why why_not(const std::string& name, const std::vector<EnvRule>& rules, const Variables& script,
                       const Variables& command) {
  using Why = NotPassed::Why;
  if (is_one_of(kFixed, name) || !check_env_name(name).ok()) return Why::OfBand;
  if (is_one_of(kFromCaller, name)) return Why::Value;
  const bool declared = std::any_of(rules.begin(), rules.end(), [&](const EnvRule& rule) { return rule.name == name; });
  const auto own = command.find(name);
  if (own != command.end() && !(declared && has(script, name, own->second)))
    return Why::OfBand;  // set by the program's own environment (taming)
  if (declared) return Why::OfCaller;
  return is_steering(name) ? Why::Steers : Why::Undeclared;
}

}  // namespace

std::string home_of(std::string_view name) { return std::string(layout::kHomes) + "/" + std::string(name); }

std::vector<std::string> command_environment(const EnvironmentPlan& plan, const std::string& name,
                                             const std::string& directory, const std::vector<std::string>& given,
                                             const std::vector<std::string>& taming) {
  const Variables script = variables_of(plan.script), caller = variables_of(given);
  Variables variables;
  for (const std::string_view shared : kShared) copy(script, shared, variables);
  for (const EnvRule& rule : plan.declared)
    if (!rule.secret)
      copy(is_steering(rule.name) || is_one_of(kFromCaller, rule.name) ? script : caller, rule.name, variables);
  for (const auto& [variable, value] : caller)
    if (may_come_from_caller(variable, value)) variables[variable] = value;
  for (const EnvRule& rule : plan.declared)
    if (rule.secret) copy(script, rule.name, variables);
  set_fixed(name, directory, variables);
  for (const auto& [tamed, value] : variables_of(taming)) variables[tamed] = value;
  std::vector<std::string> environment;
  environment.reserve(variables.size());
  for (const auto& [variable, value] : variables)
    environment.push_back(std::string(variable).append("=").append(value));
  return environment;
}

std::vector<NotPassed> not_passed(const EnvironmentPlan& plan, const std::vector<std::string>& given,
                                  const std::vector<std::string>& environment) {
  const Variables script = variables_of(plan.script), command = variables_of(environment);
  const std::string homes = std::string(layout::kHomes) + "/";
  std::vector<NotPassed> list;
  for (const auto& [name, value] : variables_of(given)) {
    if (has(command, name, value) || has(script, name, value)) continue;
    if (!is_variable_name(name) || is_one_of(kOfShells, name)) continue;
    // Set by band, for a command that calls another one.
    if (value.starts_with(homes) || is_set_for_program(name, value)) continue;
    list.push_back({name, why_not(name, plan.declared, script, command)});
    if (list.size() > kMostNotPassed) break;  // one more than is reported: a script can set 100,000 variables
  }
  return list;
}

}  // namespace band::broker
