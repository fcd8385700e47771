#include "schemas/commands/plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "schemas/core/diagnostic.h"
#include "schemas/pattern/pattern.h"
#include "schemas/pattern/shell_names.h"
#include "schemas/programs/essentials.h"
#include "schemas/rules/checks.h"

namespace band {
namespace {

constexpr std::size_t kMaxNameBytes = 255;  // NAME_MAX: the shim is a link of this name

constexpr std::size_t kMostNamed = 50;  // mistakes listed in one message

// Collects all mistakes of one band.
class Mistakes {
 public:
  void add(const std::string& origin, std::string what, std::string hint) {
    list_.push_back(at_origin(origin, std::move(what), std::move(hint)));
  }

  Status verdict() {
    sort_by_place(list_);  // removes duplicates: insist rules are in the opened layers, too
    const std::size_t more = list_.size() > kMostNamed ? list_.size() - kMostNamed : 0;
    list_.resize(list_.size() - more);
    if (list_.size() > 1) {
      Error error = skill_invalid(list_);
      if (more > 0) error.doing += "\nand " + std::to_string(more) + " more";
      error.hint = "correct these rules in BAND.md";
      return error;
    }
    if (list_.empty()) return done();
    Error error{.code = Code::SkillInvalid, .hint = std::exchange(list_.front().hint, "")};
    error.doing = list_.front().text();
    return error;
  }

 private:
  std::vector<Diagnostic> list_;
};

std::string_view base_name(std::string_view word) { return word.substr(word.rfind('/') + 1); }

using Words = std::map<std::string, std::string>;  // word -> origin of its first rule

Result<Words> words_of(const RuleSet& rules, const char* section, Mistakes& mistakes) {
  Words words;
  for (const Rule& rule : rules) {
    BAND_TRY(const CliPattern pattern, CliPattern::parse(rule.pattern));
    if (const Status status = check_command(section, pattern); !status.ok())
      mistakes.add(rule.origin, status.error().doing, status.error().hint);
    words.emplace(pattern.command(), rule.origin);
  }
  return words;
}

struct Named {
  std::vector<Words> layers;
  Words deny, insist;
};

Result<Named> read_rules(const Domain& cli) {
  Named named;
  Mistakes mistakes;
  for (const RuleSet& rules : cli.opened) {
    BAND_TRY(Words words, words_of(rules, "allow", mistakes));
    named.layers.push_back(std::move(words));
  }
  BAND_TRY(named.deny, words_of(cli.deny, "deny", mistakes));
  BAND_TRY(named.insist, words_of(cli.insist, "insist", mistakes));  // they are in cli.opened, too
  BAND_CHECK(mistakes.verdict());
  return named;
}

bool in_every_layer(const Named& named, const std::string& word) {
  return std::all_of(named.layers.begin(), named.layers.end(),
                     [&](const Words& words) { return words.count(word) != 0; });
}

void check_name(const DeclaredCommand& command, Mistakes& mistakes) {
  if (command.name.size() > kMaxNameBytes || command.name == kShimName)
    return mistakes.add(command.origin, "`" + command.word.substr(0, 80) + "` cannot be a command's name",
                        "use another name of at most " + std::to_string(kMaxNameBytes) + " bytes");
  if (is_essential(command.name))
    return mistakes.add(command.origin, "`" + command.word + "` has the name of an essential command",
                        "write `" + command.name + "` to use the essential command, or give this program another name");
}

// `commands` must be sorted by name.
Status check_names(const std::vector<DeclaredCommand>& commands) {
  Mistakes mistakes;
  const DeclaredCommand* before = nullptr;
  for (const DeclaredCommand& command : commands) {
    check_name(command, mistakes);
    if (before != nullptr && before->name == command.name)
      mistakes.add(command.origin,
                   "`" + command.word + "` and `" + before->word + "` (" + before->origin + ") have the same name",
                   "write the same word in all rules for one program; give different programs different names");
    before = &command;
  }
  return mistakes.verdict();
}

}  // namespace

std::string_view essential_of(std::string_view word) {
  for (const std::string_view directory : {"/usr/bin/", "/bin/"})
    if (word.starts_with(directory)) {
      word.remove_prefix(directory.size());
      break;
    }
  return is_essential(word) ? word : std::string_view{};
}

Result<CommandPlan> plan_commands(const Domain& cli) {
  BAND_TRY(const Named named, read_rules(cli));
  CommandPlan plan;
  std::set<std::string> shimmed;
  for (const Words& words : named.layers)
    for (const auto& [word, origin] : words)
      if (const auto essential = essential_of(word); !essential.empty()) shimmed.emplace(essential);
  for (const auto& [word, origin] : named.deny)
    if (is_essential(base_name(word))) shimmed.emplace(base_name(word));
  for (const std::string& name : shimmed) {
    if (is_shell(name)) continue;
    plan.shimmed.push_back(name);
    if (is_shell_also(name)) plan.builtins.push_back(name);
  }
  if (named.layers.empty()) return plan;
  for (const auto& [word, origin] : named.layers.front()) {
    if (essential_of(word).empty() && in_every_layer(named, word))
      plan.declared.push_back({word, std::string(base_name(word)), origin});
  }
  std::sort(plan.declared.begin(), plan.declared.end(),
            [](const auto& a, const auto& b) { return std::tie(a.name, a.word) < std::tie(b.name, b.word); });
  BAND_CHECK(check_names(plan.declared));
  return plan;
}

}  // namespace band
