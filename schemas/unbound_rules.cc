#include "schemas/unbound_rules.h"

#include "schemas/json_text.h"
#include "schemas/pattern.h"
#include "schemas/programs.h"

namespace band {
namespace {

struct Nature {
  bool interpreter = false, reexec = false;
};

Nature nature_of(std::string_view name) {
  if (name == "awk") return {true, false};  // an essential
  const ProgramNeeds* needs = built_in_commands().find(name);
  return needs == nullptr ? Nature{} : Nature{needs->interpreter, needs->reexec};
}

void judge(const RuleSet& rules, bool denies, std::vector<Diagnostic>& found) {
  for (const Rule& rule : rules) {
    const auto pattern = CliPattern::parse(rule.pattern);
    if (!pattern.ok() || pattern->takes_any_arguments()) continue;
    const std::string name(pattern->base_name());
    const Nature nature = nature_of(name);
    const std::string subject = "cli " + shown_string(rule.pattern, 80) + " binds less than it says: `" + name + "` ";
    if (nature.interpreter)
      found.push_back(at_origin(rule.origin, subject + "runs what a file, an argument or its input tells it to",
                                "what holds it is read, write and net; `" + name + " *` says that it may do anything"));
    else if (nature.reexec && denies)
      found.push_back(at_origin(rule.origin, subject + "starts itself with other arguments, as its configuration says",
                                "allow the command lines that are wanted, instead of denying the others"));
  }
}

}  // namespace

std::vector<Diagnostic> unbound_rules(const Domain& cli) {
  std::vector<Diagnostic> found;
  for (const RuleSet& layer : cli.opened) judge(layer, false, found);
  judge(cli.deny, true, found);
  sort_by_place(found);
  return found;
}

}  // namespace band
