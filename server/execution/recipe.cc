#include "server/execution/recipe.h"

#include <algorithm>

namespace band::run {
namespace {

bool names_machine(const RuleSet& rules) {
  return std::any_of(rules.begin(), rules.end(), [](const Rule& rule) { return rule.pattern.starts_with('/'); });
}

bool names_machine(const Domain& domain) {
  return names_machine(domain.deny) || names_machine(domain.insist) ||
         std::any_of(domain.opened.begin(), domain.opened.end(),
                     [](const RuleSet& layer) { return names_machine(layer); });
}

}  // namespace

std::optional<Recipe> recipe_of(const std::string& token, const ExecRequest& request) {
  const Rules& rules = request.rules;
  if (request.terminal || names_machine(rules.read) || names_machine(rules.write) || names_machine(rules.cli))
    return std::nullopt;
  return Recipe{token, request.rules, request.takes_input()};
}

}  // namespace band::run
