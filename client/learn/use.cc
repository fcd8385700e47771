#include "client/learn/use.h"

#include <algorithm>

#include "client/shell/variables.h"
#include "schemas/core/json_text.h"
#include "schemas/programs/programs.h"
#include "schemas/rules/checks.h"
#include "schemas/rules/net_rules.h"
#include "schemas/rules/placeholders.h"

namespace band::client::learn {

Domain& domain_of(Rules& rules, const std::string& name) {
  return name == "cli" ? rules.cli : name == "net" ? rules.net : name == "read" ? rules.read : rules.write;
}

bool is_of_file(const Rule& rule, std::string_view file) {
  return rule.origin.size() > file.size() && rule.origin.starts_with(file) && rule.origin[file.size()] == ':';
}

std::string key_of_rule(const std::string& domain, const Rule& rule) {
  return domain + " " + escaped(rule.pattern) + " " + escaped(rule.origin);
}

bool declares(const Domain& cli, std::string_view program) {
  for (const RuleSet& layer : cli.opened)
    for (const Rule& rule : layer)
      if (const auto pattern = CliPattern::parse(rule.pattern); pattern.ok() && pattern->base_name() == program)
        return true;
  return false;
}

bool reaches(const std::string& net_pattern, const Contact& contact) {
  const auto pattern = NetPattern::parse(net_pattern);
  return pattern.ok() && pattern->opens(contact.port) && is_about(*pattern, NetHost::of(contact.host));
}

std::vector<std::string> patterns_named(const std::string& domain, const std::string& pattern, const Json& input) {
  Rules one;
  Domain& mine = domain == "read" ? one.read : one.write;
  mine.opened.push_back({{.pattern = pattern, .origin = "", .dot = domain == "write"}});
  const auto named = with_input(one, input);
  std::vector<std::string> patterns;
  if (!named.ok()) return patterns;
  for (const RuleSet& layer : (domain == "read" ? named->read : named->write).opened)
    for (const Rule& rule : layer) patterns.push_back(rule.pattern);
  return patterns;
}

bool names_one_of(const std::string& domain, const std::string& pattern, const Json& input,
                  const std::vector<std::string>& paths) {
  for (const std::string& named : patterns_named(domain, pattern, input)) {
    const auto parsed = PathPattern::parse(named);
    if (!parsed.ok() || parsed->absolute()) continue;
    if (std::any_of(paths.begin(), paths.end(),
                    [&](const std::string& path) { return !path.starts_with('/') && parsed->matches(path); }))
      return true;
  }
  return false;
}

bool is_environment_name(const std::string& name) {
  if (name.size() < 2 || name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != std::string::npos)
    return false;
  return !is_set_by_shell_or_band(name) && check_env_name(name).ok();
}

std::string warning_of_command(const CliPattern& pattern) {
  const std::string name(pattern.base_name());
  if (const ProgramNeeds* needs = built_in_programs().find(name); needs != nullptr && needs->interpreter)
    return name + " runs code from its files and arguments: this line restricts less than it seems to";
  if (pattern.takes_any_arguments()) return "allows every command line of " + name;
  if (pattern.takes_any_first_argument()) return "allows every subcommand of " + name + ", also one that deletes";
  return "";
}

}  // namespace band::client::learn
