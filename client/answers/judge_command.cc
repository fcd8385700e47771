#include <algorithm>
#include <span>

#include "client/answers/judgement.h"
#include "client/shell/started.h"
#include "schemas/commands/decision.h"
#include "schemas/commands/plan.h"
#include "schemas/core/json_text.h"
#include "schemas/pattern/shell_names.h"
#include "schemas/rules/text.h"

namespace band::client {
namespace {

using Outcome = Judgement::Outcome;

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Judgement without_rule(const Question& question, Outcome outcome, std::string reason, std::string mend = "") {
  Judgement judgement;
  judgement.question = question;
  judgement.outcome = outcome;
  judgement.reason = std::move(reason);
  judgement.mend = std::move(mend);
  return judgement;
}

// A path as the command's name: programs that are declared stand in PATH alone.
Judgement judge_path_of_program(const Question& question, const CommandPlan& commands) {
  const std::string& word = question.argv.front();
  const std::string name = word.substr(word.rfind('/') + 1);
  const auto is_it = [&](const DeclaredCommand& command) { return command.word == word || command.name == name; };
  const bool declared = std::any_of(commands.declared.begin(), commands.declared.end(), is_it);
  if (word.front() != '/')
    return without_rule(question, Outcome::Refused, "files that a script brings or makes cannot be executed",
                        "start it by its interpreter: bash " + escaped(word));
  return without_rule(question, Outcome::Refused,
                      "there is no program at " + escaped(word) + " in the sandbox" +
                          (declared ? ": what a rule declares is started by its name" : ""),
                      declared ? "call it as `" + escaped(name) + "`"
                               : "ask about `" + escaped(name) + "`, by which name a declared program is started");
}

// Does this layer alone open the line?
bool opens(const RuleSet& layer, const std::vector<std::string>& argv) {
  return std::any_of(layer.begin(), layer.end(), [&](const Rule& rule) {
    const auto pattern = CliPattern::parse(rule.pattern);
    return pattern.ok() && pattern->base_name() == argv.front() &&
           pattern->matches_arguments(std::span(argv).subspan(1));
  });
}

bool names(const Domain& cli, const std::string& command) {
  return std::any_of(cli.opened.begin(), cli.opened.end(), [&](const RuleSet& layer) {
    return std::any_of(layer.begin(), layer.end(), [&](const Rule& rule) {
      const auto pattern = CliPattern::parse(rule.pattern);
      return pattern.ok() && pattern->base_name() == command;
    });
  });
}

// Nothing opens the line. Would a rule that does be denied? Then there is no line to write.
std::optional<Decision> denied_all_the_same(const std::vector<std::string>& argv, const RuleSet& deny) {
  const auto pattern = cli_pattern(argv);
  if (!pattern) return std::nullopt;
  const Domain opened{{{{*pattern, ""}}}, deny, {}};
  const auto plan = plan_commands(opened);
  if (!plan.ok()) return std::nullopt;  // of a name that no program can have
  const auto rules = CommandRules::compile(opened, *plan);
  if (!rules.ok()) return std::nullopt;
  Decision decision = rules->decide(argv);
  if (decision.section != "deny.cli") return std::nullopt;
  return decision;
}

Result<Judgement> judge_rules(const Question& question, const std::vector<std::string>& argv, const Grounds& grounds) {
  const Domain& cli = grounds.permitted.rules.cli;
  BAND_TRY(const CommandRules rules, CommandRules::compile(cli, grounds.permitted.commands));
  const Decision decision = rules.decide(argv);
  Judgement judgement = without_rule(question, Outcome::Refused, decision.reason);
  judgement.section = decision.section;
  judgement.nearest = decision.nearest;
  if (decision.outcome == Decision::Outcome::Allowed) {
    judgement.outcome = Outcome::Allowed;
    judgement.rule = decision.rule;
    if (essential_of(argv.front()).empty())
      judgement.notes.push_back("whether the target's machine has `" + escaped(argv.front()) +
                                "` is not known before a run: where it is missing, the run ends before the script "
                                "starts (SANDBOX_UNAVAILABLE)");
    return judgement;
  }
  if (decision.rule) {
    closed_by_deny(judgement, *decision.rule, grounds.rules.cli.deny);
    return judgement;
  }
  if (!names(grounds.rules.cli, argv.front()))
    judgement.reason = "no allow.cli names `" + escaped(argv.front().substr(0, kMaxShownPattern)) + "`";
  if (const auto denied = denied_all_the_same(argv, cli.deny)) {
    judgement.section = denied->section;
    closed_by_deny(judgement, *denied->rule, grounds.rules.cli.deny);
    return judgement;
  }
  BAND_CHECK(not_opened(judgement, grounds, &Rules::cli,
                        [&](const RuleSet& layer) -> Result<bool> { return opens(layer, argv); }));
  if (!can_be_declared(argv)) judgement.mend = "no band can declare a command of this name";
  return judgement;
}

// One program, without those that it starts. `by_shell`: bash runs it, and looks among its builtins first.
Result<Judgement> judge_program(const Question& question, const Grounds& grounds, bool by_shell) {
  std::vector<std::string> argv = question.argv;
  const std::string_view essential = essential_of(argv.front());
  if (!essential.empty()) argv.front() = std::string(essential);  // /usr/bin/jq is jq
  const std::string& name = argv.front();
  if (name.find('/') != std::string::npos) return judge_path_of_program(question, grounds.permitted.commands);
  if (by_shell && is_shell_own(name))
    return without_rule(question, Outcome::Allowed,
                        "bash does `" + name + "` itself: it starts no program, and no rule is about it");
  if (!essential.empty() && !has(grounds.permitted.commands.shimmed, name))
    return without_rule(question, Outcome::Allowed,
                        "an essential command, which each sandbox has; no rule of the band is about it");
  return judge_rules(question, argv, grounds);
}

// Essentials, builtins and keywords that run what their arguments, a file or their input have as text.
constexpr std::string_view kRunsText[] = {"bash",    "sh",        "awk",   "chroot", "runcon",  ".",        "source",
                                          "eval",    "trap",      "alias", "fc",     "builtin", "!",        "{",
                                          "mapfile", "readarray", "if",    "elif",   "else",    "then",     "do",
                                          "while",   "until",     "for",   "case",   "select",  "function", "coproc"};

// Does it start a program that started_programs() does not find?
bool starts_unknown(const StartedProgram& program, bool is_wrapper) {
  const std::string& word = program.words.front().text;
  const std::string name = word.substr(word.rfind('/') + 1);
  if (std::find(std::begin(kRunsText), std::end(kRunsText), name) != std::end(kRunsText)) return true;
  if (!is_wrapper && name != "env") return false;
  // Long options may have their value in the next word, and -S is a command line.
  for (std::size_t i = 1; i < program.words.size() && program.words[i].text.starts_with('-'); ++i) {
    const std::string& option = program.words[i].text;
    if (option == "--") break;
    if (option.starts_with("--") ? option.find('=') == std::string::npos || option.starts_with("--s")
                                 : name == "env" && option.find('S') != std::string::npos)
      return true;
  }
  return false;
}

void depend(Judgement& judgement, std::string reason) {
  judgement.outcome = Outcome::Depends;
  judgement.reason = std::move(reason);
  judgement.rule = judgement.nearest = std::nullopt;
  judgement.section.clear();
  judgement.remedies.clear();
}

struct Started {
  StartedProgram program;
  bool is_wrapper = false;
};
constexpr std::size_t kMaxStarted = 50;

bool is_same(const StartedProgram& a, const StartedProgram& b) {
  return std::equal(a.words.begin(), a.words.end(), b.words.begin(), b.words.end(),
                    [](const ShellWord& x, const ShellWord& y) { return x.text == y.text; });
}

// Also what is started by a program of `find -exec`, and behind more wrappers than started_programs() looks at.
std::vector<Started> all_started(const ShellCommand& line) {
  std::vector<StartedProgram> programs = started_programs(line);
  std::vector<Started> all;
  for (std::size_t i = 0; i < programs.size() && all.size() < kMaxStarted; ++i) {
    const std::vector<StartedProgram> more = started_programs({programs[i].words, {}});
    all.push_back({programs[i], more.size() > 1});
    if (i == 0 || more.size() < 2 || (i + 1 < programs.size() && is_same(programs[i + 1], more[1]))) continue;
    for (std::size_t next = 1; next < more.size(); ++next)
      programs.push_back({more[next].words, more[next].whole && programs[i].whole});
  }
  return all;
}

Result<Judgement> judge_started(const Started& started, const Grounds& grounds, bool by_shell) {
  const StartedProgram& program = started.program;
  Question question;
  for (const ShellWord& word : program.words) question.argv.push_back(word.text);
  const std::string name = question.argv.front();
  BAND_TRY(Judgement judgement, judge_program(question, grounds, by_shell));
  const bool by_rule = judgement.rule.has_value();
  if (!program.whole && (by_rule || names(grounds.rules.cli, name))) {
    depend(judgement, "the arguments that are appended to `" + escaped(name) + "` are not known before a run");
    judgement.mend = "ask about the whole line: -- " + question.text() + " ARGUMENTS";
  } else if (judgement.outcome == Outcome::Allowed && !by_rule && starts_unknown(program, started.is_wrapper)) {
    depend(judgement, "`" + escaped(name) + "` runs what its arguments, a file or its input contain");
    judgement.notes.push_back("each command that `" + escaped(name) +
                              "` starts is judged by itself: ask about it behind `--`");
  }
  return judgement;
}

int severity(Outcome outcome) { return outcome == Outcome::Allowed ? 0 : outcome == Outcome::Depends ? 1 : 2; }

}  // namespace

Result<Judgement> judge_command(const Question& question, const Grounds& grounds) {
  ShellCommand line;
  for (const std::string& word : question.argv) line.words.push_back({.text = word});
  std::optional<Judgement> worst;
  bool by_shell = true;
  const std::vector<Started> programs = all_started(line);
  for (const Started& started : programs) {
    BAND_TRY(Judgement judgement, judge_started(started, grounds, by_shell));
    by_shell = by_shell && started.program.words.front().text == "command";
    if (worst && severity(judgement.outcome) <= severity(worst->outcome)) continue;
    if (worst) judgement.reason = "it starts `" + judgement.question.text() + "`: " + judgement.reason;
    judgement.question = question;
    worst = std::move(judgement);
  }
  if (programs.size() >= kMaxStarted && worst->outcome == Outcome::Allowed)
    depend(*worst, "it starts more programs than are looked at");
  return std::move(*worst);
}

}  // namespace band::client
