#include "client/commands/rules_text.h"

#include "client/terminal/terminal.h"

namespace band::client {
namespace {

std::string rule_lines(const char* label, const RuleSet& rules) {
  std::string text;
  for (const Rule& rule : rules)
    text += "    " + std::string(label) + " " + printable_line(rule.pattern) +
            (rule.dot ? ", also names that begin with a dot" : "") + "   (" + printable_line(rule.origin) + ")\n";
  return text;
}

}  // namespace

std::string domain_text(const char* name, const Domain& domain) {
  std::string text = "  " + std::string(name) + ":";
  if (domain.opens_nothing())
    return text + " nothing\n" + rule_lines("deny  ", domain.deny) + rule_lines("insist", domain.insist);
  text += "\n";
  for (std::size_t i = 0; i < domain.opened.size(); ++i) {
    if (i > 0) text += "    and one of these must match, too:\n";
    text += rule_lines("allow ", domain.opened[i]);
  }
  return text + rule_lines("deny  ", domain.deny) + rule_lines("insist", domain.insist);
}

std::string domain_in_short(const Domain& domain, std::size_t most) {
  if (domain.opens_nothing()) return "nothing";
  const RuleSet& rules = domain.opened.front();
  std::string text;
  for (std::size_t i = 0; i < rules.size() && i < most; ++i)
    text += (i == 0 ? "" : ", ") + printable_line(rules[i].pattern);
  if (rules.size() > most) text += " and " + std::to_string(rules.size() - most) + " more";
  return text;
}

}  // namespace band::client
