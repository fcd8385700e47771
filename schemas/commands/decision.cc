#include "schemas/commands/decision.h"

#include <algorithm>
#include <set>
#include <span>

#include "schemas/core/json_text.h"
#include "schemas/pattern/shell_text.h"
#include "schemas/rules/text.h"

namespace band {
namespace {

using Outcome = Decision::Outcome;

constexpr std::size_t kMaxShownName = 80;

std::string shown_name(std::string_view name) {
  const std::string argv[] = {std::string(name.substr(0, kMaxShownName))};
  return shell_text(argv);
}

// Returns the rule of the layer whose words match the most leading arguments: the user probably intended this one.
template <class Parsed>
const Rule* nearest_of(const std::vector<Parsed>& layer, std::span<const std::string> arguments) {
  const Rule* nearest = nullptr;
  std::size_t most = 0;
  for (const Parsed& parsed : layer) {
    const std::size_t words = parsed.pattern.leading_matches(arguments);
    if (nearest != nullptr && words <= most) continue;
    nearest = &parsed.rule;
    most = words;
  }
  return nearest;
}

template <class Parsed>
const Parsed* first_match(const std::vector<Parsed>& layer, std::span<const std::string> arguments) {
  const auto found = std::find_if(layer.begin(), layer.end(),
                                  [&](const Parsed& parsed) { return parsed.pattern.matches_arguments(arguments); });
  return found == layer.end() ? nullptr : &*found;
}

}  // namespace

// Fills cut_: the commands that the first layer, the band's, allows and another layer does not allow. The message for
// the caller then names this other layer.
void CommandRules::explain_cut(const std::vector<Layer>& layers) {
  std::vector<std::set<std::string_view>> words(layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i)
    for (const Parsed& parsed : layers[i]) words[i].insert(parsed.pattern.command());
  for (const Parsed& parsed : layers.front()) {
    if (commands_.count(parsed.pattern.base_name()) != 0) continue;
    for (std::size_t i = 1; i < layers.size(); ++i) {
      if (words[i].count(parsed.pattern.command()) != 0) continue;
      const std::string where = layers[i].empty() ? "another band of its `extends` chain, or the operator's ceiling,"
                                                  : shown_file_of(layers[i].front().rule);
      cut_.emplace(parsed.pattern.base_name(), std::string(parsed.section) + " " + shown_rule(parsed.rule) + ", but " +
                                                   where + " does not allow it");
      break;
    }
  }
}

Result<CommandRules> CommandRules::compile(const Domain& cli, const CommandPlan& plan) {
  std::vector<Layer> layers;
  for (const RuleSet& rules : cli.opened) {
    BAND_TRY(Layer layer, parse_rules<CliPattern>(rules, "allow.cli", cli.insist, "insist.cli"));
    layers.push_back(std::move(layer));
  }
  BAND_TRY(Layer denies, parse_rules<CliPattern>(cli.deny, "deny.cli"));
  for (Parsed& parsed : denies) parsed.pattern = parsed.pattern.as_deny();
  CommandRules rules;
  const std::vector<Layer> none(layers.size());
  for (const auto& command : plan.declared) rules.commands_[command.name] = {command.word, false, {}, none};
  for (const std::string& name : plan.shimmed) rules.commands_[name] = {name, true, {}, none};
  const auto command_of = [&](const Parsed& parsed) {
    const auto found = rules.commands_.find(parsed.pattern.base_name());
    return found == rules.commands_.end() ? nullptr : &found->second;
  };
  for (std::size_t i = 0; i < layers.size(); ++i)
    for (const Parsed& parsed : layers[i]) {
      // `gh *` does not allow /opt/x/gh: the first word of a rule must be exactly the word of the command.
      Command* command = command_of(parsed);
      const std::string& word = parsed.pattern.command();
      if (command != nullptr && (word == command->word || essential_of(word) == command->word))
        command->opened[i].push_back(parsed);
    }
  for (const Parsed& parsed : denies)
    if (Command* command = command_of(parsed)) command->deny.push_back(parsed);
  if (!layers.empty()) rules.explain_cut(layers);
  return rules;
}

Decision CommandRules::undeclared(std::string_view name) const {
  Decision decision;
  const auto cut = cut_.find(name);
  if (cut != cut_.end())
    decision.reason = cut->second;
  else if (commands_.count(name) != 0 || (!name.empty() && essential_of(name) == name))
    decision.reason = "the command exists, but not in a directory of PATH";
  else
    decision.reason =
        "no rule of allow.cli names it; " + shown_string(shown_name(name) + " *", kMaxShownPattern) + " would allow it";
  return decision;
}

Decision CommandRules::decide(const std::vector<std::string>& argv) const {
  const std::string_view name = argv.empty() ? std::string_view{} : argv[0];
  const auto found = commands_.find(name);
  if (found == commands_.end()) return undeclared(name);
  return judge(found->second, std::span(argv).subspan(1));
}

Decision CommandRules::not_found(const std::vector<std::string>& argv) const {
  return undeclared(argv.empty() ? std::string_view{} : argv[0]);
}

Decision CommandRules::judge(const Command& command, std::span<const std::string> arguments) {
  Decision decision;
  decision.outcome = Outcome::Denied;
  if (steps_of(command, arguments) > kMostSteps) {
    decision.reason = "the command line is too long to be compared with all rules";
    return decision;
  }
  const auto decided_by = [&](const Parsed& parsed) {
    decision.section = parsed.section;
    decision.rule = parsed.rule;
    decision.reason = decision.section + " " + shown_rule(parsed.rule);
  };
  if (const Parsed* deny = first_match(command.deny, arguments)) {
    decided_by(*deny);
    return decision;
  }
  const Parsed* first = nullptr;  // the rule that matches in the first layer, the band's
  for (const Layer& layer : command.opened) {
    const Parsed* match = first_match(layer, arguments);
    if (match == nullptr && !command.essential) {
      decision.reason = "no rule of allow.cli matches";
      if (const Rule* nearest = nearest_of(layer, arguments)) {
        decision.nearest = *nearest;
        decision.reason += "; nearest " + shown_rule(*nearest);
      }
      return decision;
    }
    if (first == nullptr) first = match;
  }
  decision.outcome = Outcome::Allowed;
  decision.reason = "an essential command";
  if (first != nullptr) decided_by(*first);
  return decision;
}

std::uint64_t CommandRules::steps_of(const Command& command, std::span<const std::string> arguments) {
  std::size_t bytes = 0;
  for (const std::string& argument : arguments) bytes += argument.size();
  std::uint64_t steps = 0;
  const auto add = [&](const Layer& layer) {
    for (const Parsed& parsed : layer) steps += parsed.pattern.most_steps(arguments.size(), bytes);
  };
  add(command.deny);
  for (const Layer& layer : command.opened) add(layer);
  return steps;
}

std::string Decision::for_stderr(const std::vector<std::string>& argv) const {
  if (outcome == Outcome::Allowed) return "";
  if (outcome == Outcome::Denied) return "band: denied: " + shell_text(argv) + "  (" + reason + ")\n";
  return "band: " + shown_name(argv.empty() ? "" : argv[0]) + ": command not found  (" + reason + ")\n";
}

std::string Decision::for_ledger(const std::vector<std::string>& argv) const {
  const char* word = outcome == Outcome::Allowed ? "" : outcome == Outcome::Denied ? "denied: " : "not found: ";
  return word + shell_text(argv) + "  (" + reason + ")";
}

}  // namespace band
