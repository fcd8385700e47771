#include "client/checks/commands.h"

#include <algorithm>
#include <optional>
#include <set>

#include "client/shell/builtins.h"
#include "client/shell/started.h"
#include "schemas/commands/decision.h"
#include "schemas/core/json_text.h"
#include "schemas/pattern/shell_names.h"
#include "schemas/pattern/shell_text.h"
#include "schemas/programs/essentials.h"

namespace band::client {
namespace {

// Limits: the text may be untrusted, and comparing one line with all rules can be slow.
constexpr std::size_t kMaxLines = 200, kMaxNotes = 50;

bool is_name(std::string_view text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '+' || c == '-' || c == '/';
  };
  return !text.empty() && text.front() != '-' && std::all_of(text.begin(), text.end(), is_plain);
}

// The pattern for this word; `*` if its value is not known before a run.
std::string as_pattern(const ShellWord& word) { return word.literal ? quoted_word(word.text) : "*"; }

std::string line_pattern(const StartedProgram& program) {
  std::string pattern;
  for (const ShellWord& word : program.words) pattern += (pattern.empty() ? "" : " ") + as_pattern(word);
  if (!program.whole && !pattern.ends_with(" *")) pattern += " *";
  return pattern;
}

// The `cli` rules of one band.
struct Judge {
  CommandPlan plan;
  CommandRules rules;

  bool declares(const std::string& name) const {
    const auto is_it = [&](const DeclaredCommand& command) { return command.name == name || command.word == name; };
    return std::any_of(plan.declared.begin(), plan.declared.end(), is_it);
  }
  bool shims(const std::string& name) const {
    return std::find(plan.shimmed.begin(), plan.shimmed.end(), name) != plan.shimmed.end();
  }
};

std::optional<Judge> judge_of(const Script& script) {
  auto plan = plan_commands(script.band.rules.cli);
  if (!plan.ok()) return std::nullopt;
  auto rules = CommandRules::compile(script.band.rules.cli, *plan);
  if (!rules.ok()) return std::nullopt;
  return Judge{std::move(plan).value(), std::move(rules).value()};
}

class CommandCheck {
 public:
  CommandCheck(const ShellScope& scope, std::vector<Diagnostic>& notes) : scope_(scope), notes_(notes) {
    known_ = scope.functions();
    for (const ShellFile* file : scope.files)
      for (const ShellCommand& command : file->reading.commands) collect(command);
    for (const Script* script : scope.scripts)
      if (auto judge = judge_of(*script))
        judges_.push_back(std::move(*judge));
      else
        is_open_ = true;
  }

  void check() {
    if (is_open_) return;
    for (const ShellCommand& command : scope_.file->reading.commands)
      for (const StartedProgram& program : started_programs(command)) check(program);
  }

 private:
  // Collects names that the script tests for, aliases, and whether it sources unknown files.
  void collect(const ShellCommand& command) {
    const std::vector<ShellWord> words = without_prefixes(command.words);
    const std::string& name = words.front().text;
    const bool asks = name == "command" || name == "type" || name == "hash" || name == "which";
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (asks) known_.insert(words[i].text);
      if (name == "alias") known_.insert(words[i].text.substr(0, words[i].text.find('=')));
    }
    if ((name == "." || name == "source") && words.size() > 1) {
      const std::string file = words[1].text.substr(words[1].text.rfind('/') + 1);
      const auto is_it = [&](const ShellFile* other) { return other->shown.ends_with("/" + file); };
      is_open_ = is_open_ || file.empty() || std::none_of(scope_.files.begin(), scope_.files.end(), is_it);
    }
  }

  void check(const StartedProgram& program) {
    const std::string& name = program.words.front().text;
    if (!is_name(name) || is_shell_own(name) || known_.contains(name)) return;
    const bool declared =
        std::any_of(judges_.begin(), judges_.end(), [&](const Judge& judge) { return judge.declares(name); });
    const std::string essential(essential_of(name));
    if (!declared && essential.empty()) return undeclared(program);
    if (declared || std::any_of(judges_.begin(), judges_.end(), [&](const Judge& j) { return j.shims(essential); }))
      check_line(program, essential.empty() ? name.substr(name.rfind('/') + 1) : essential);
  }

  void note(const StartedProgram& program, std::string message, std::string hint) {
    if (noted_.size() >= kMaxNotes || !noted_.insert(message + hint).second) return;  // each note once
    const ShellWord& first = program.words.front();
    notes_.push_back({scope_.file->shown, first.line, first.column, std::move(message), std::move(hint)});
  }

  void undeclared(const StartedProgram& program) {
    const std::string& name = program.words.front().text;
    if (name.find('/') != std::string::npos && name.front() != '/')
      return note(program, name + " cannot be executed: files of the workspace and of the skill are not executable",
                  "write bash " + name + ", or the interpreter that it needs");
    note(program, "the band does not declare the command " + name, rule_to_write(scope_, "cli", line_pattern(program)));
  }

  // A line whose words are all literal is compared as the broker does it.
  void check_line(const StartedProgram& program, const std::string& name) {
    if (!program.whole ||
        !std::all_of(program.words.begin(), program.words.end(), [](const ShellWord& word) { return word.literal; }))
      return;
    if (++compared_ > kMaxLines) return;
    std::vector<std::string> argv{name};
    for (std::size_t i = 1; i < program.words.size(); ++i) argv.push_back(program.words[i].text);
    std::optional<Decision> refused;
    for (const Judge& judge : judges_) {
      if (!judge.declares(name) && !judge.shims(name)) continue;
      Decision decision = judge.rules.decide(argv);
      if (decision.outcome == Decision::Outcome::Allowed) return;
      refused = std::move(decision);
    }
    if (!refused) return;
    const std::string line = escaped(line_pattern(program));
    if (refused->section == "deny.cli")
      note(program, "the band denies `" + line + "`: " + refused->reason, "remove the line, or the rule");
    else
      note(program, "the band does not allow `" + line + "`", rule_to_write(scope_, "cli", line_pattern(program)));
  }

  const ShellScope& scope_;
  std::vector<Diagnostic>& notes_;
  std::set<std::string> known_;
  std::vector<Judge> judges_;
  bool is_open_ = false;
  std::set<std::string> noted_;
  std::size_t compared_ = 0;
};

}  // namespace

void note_commands(const ShellSkill& skill, std::vector<Diagnostic>& notes) {
  for_each_scope(skill, [&](const ShellScope& scope) { CommandCheck(scope, notes).check(); });
}

}  // namespace band::client
