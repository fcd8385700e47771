#include <algorithm>
#include <span>

#include "client/answers/judgement.h"
#include "client/shell/builtins.h"
#include "client/shell/named_programs.h"
#include "client/shell/started.h"
#include "schemas/commands/decision.h"
#include "schemas/commands/plan.h"
#include "schemas/core/json_text.h"
#include "schemas/pattern/shell_names.h"
#include "schemas/programs/programs.h"
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

// Handles a command whose name is a path. Declared programs are found only through PATH, so no rule allows this
// command.
Judgement judge_path_of_program(const Question& question, const CommandPlan& commands) {
  const std::string& word = question.argv.front();
  const std::string name = word.substr(word.rfind('/') + 1);
  const auto is_it = [&](const DeclaredCommand& command) { return command.word == word || command.name == name; };
  const bool declared = std::any_of(commands.declared.begin(), commands.declared.end(), is_it);
  if (word.front() != '/')
    return without_rule(question, Outcome::Refused,
                        "files of the skill or of the workspace, and files that a script creates, cannot be executed",
                        "start it with its interpreter: bash " + escaped(word));
  return without_rule(question, Outcome::Refused,
                      "there is no program at " + escaped(word) + " in the sandbox" +
                          (declared ? "; start a declared program by its name, not by a path" : ""),
                      declared
                          ? "call it as `" + escaped(name) + "`"
                          : "ask about `" + escaped(name) + "`, because scripts start a declared program by its name");
}

// Returns whether this layer alone opens the line.
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

// No rule opens the line. Returns the deny that would close it if a rule opened it: then there is no line to propose.
std::optional<Decision> denied_all_the_same(const std::vector<std::string>& argv, const RuleSet& deny) {
  const auto pattern = cli_pattern(argv);
  if (!pattern) return std::nullopt;
  const Domain opened{{{{*pattern, ""}}}, deny, {}};
  const auto plan = plan_commands(opened);
  if (!plan.ok()) return std::nullopt;  // no program can have this name
  const auto rules = CommandRules::compile(opened, *plan);
  if (!rules.ok()) return std::nullopt;
  Decision decision = rules->decide(argv);
  if (decision.section != "deny.cli") return std::nullopt;
  return decision;
}

// If no pattern matches this line and no other line, adds the reason to the judgement: then only a wider pattern can
// open the line, or no pattern can.
void say_why_not_named(Judgement& judgement, const std::vector<std::string>& argv) {
  const std::string why = why_no_cli_pattern(argv);
  if (why.empty() || !judgement.mend.empty()) return;  // a rule cannot open what the operator closes
  judgement.reason += "; " + why;
  if (judgement.remedies.empty()) judgement.mend = "pass the data in a file or on standard input";
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
      judgement.notes.push_back("not known before a run: whether the target's machine has `" + escaped(argv.front()) +
                                "`; without this program, the run ends before the script starts (SANDBOX_UNAVAILABLE)");
    return judgement;
  }
  if (decision.rule) {
    closed_by_deny(judgement, *decision.rule, grounds.rules.cli.deny);
    return judgement;
  }
  if (!names(grounds.rules.cli, argv.front()))
    judgement.reason = "no rule of allow.cli names `" + escaped(argv.front().substr(0, kMaxShownPattern)) + "`";
  if (const auto denied = denied_all_the_same(argv, cli.deny)) {
    judgement.section = denied->section;
    closed_by_deny(judgement, *denied->rule, grounds.rules.cli.deny);
    return judgement;
  }
  BAND_CHECK(not_opened(judgement, grounds, &Rules::cli,
                        [&](const RuleSet& layer) -> Result<bool> { return opens(layer, argv); }));
  if (!can_be_declared(argv))
    judgement.mend = "no band can declare a command of this name";
  else
    say_why_not_named(judgement, argv);
  return judgement;
}

// Judges one program without those that it starts. `by_shell`: bash runs it and checks its builtins first.
Result<Judgement> judge_program(const Question& question, const Grounds& grounds, bool by_shell) {
  std::vector<std::string> argv = question.argv;
  const std::string_view essential = essential_of(argv.front());
  if (!essential.empty()) argv.front() = std::string(essential);  // /usr/bin/jq is jq
  const std::string& name = argv.front();
  if (name.find('/') != std::string::npos) return judge_path_of_program(question, grounds.permitted.commands);
  if (by_shell && is_shell_own(name))
    return without_rule(question, Outcome::Allowed,
                        "`" + name + "` is built into bash: it starts no program, and no rule applies to it");
  if (!essential.empty() && !has(grounds.permitted.commands.shimmed, name))
    return without_rule(question, Outcome::Allowed,
                        "an essential command of every sandbox; no rule of the band applies to it");
  return judge_rules(question, argv, grounds);
}

// Essentials, builtins and keywords that execute text from their arguments, a file or standard input.
constexpr std::string_view kRunsText[] = {"bash",    "sh",        "awk",   "chroot", "runcon",  ".",        "source",
                                          "eval",    "trap",      "alias", "fc",     "builtin", "!",        "{",
                                          "mapfile", "readarray", "if",    "elif",   "else",    "then",     "do",
                                          "while",   "until",     "for",   "case",   "select",  "function", "coproc"};

std::string base_name(const StartedProgram& program) {
  const std::string& word = program.words.front().text;
  return word.substr(word.rfind('/') + 1);
}

bool runs_text(const std::string& name) {
  if (std::find(std::begin(kRunsText), std::end(kRunsText), name) != std::end(kRunsText)) return true;
  const ProgramNeeds* known = built_in_programs().find(name);
  return known != nullptr && known->interpreter;
}

void depend(Judgement& judgement, std::string reason) {
  judgement.outcome = Outcome::Depends;
  judgement.reason = std::move(reason);
  judgement.rule = judgement.nearest = std::nullopt;
  judgement.section.clear();
  judgement.remedies.clear();
}

// Declared programs exist only in a directory of PATH. Essentials are also in the directories of bash's default PATH.
void look_at_search_path(Judgement& judgement, const StartedProgram& program, bool by_shell) {
  const std::string& name = program.words.front().text;
  if (program.path == SearchPath::Kept || name.find('/') != std::string::npos || !essential_of(name).empty()) return;
  if (by_shell && is_shell_own(name)) return;
  depend(judgement, "the line sets PATH, which decides how `" + escaped(name) + "` is found");
  judgement.mend = "keep the sandbox's PATH: ask about the line without the assignment";
  if (program.path != SearchPath::Removed) return;
  judgement.outcome = Outcome::Refused;
  judgement.reason = "the line removes PATH, without which `" + escaped(name) + "` is not found";
  judgement.mend = "keep PATH, as in: env -i PATH=\"$PATH\" " + escaped(name);
}

constexpr const char* kAskForIt =
    "each command that the program starts is checked separately: ask about that command after `--`";

// Handles programs that `program` starts and that started_programs() does not return. If a rule allows the line of
// `program`, the outcome is kept, and the judgement gets a note.
void look_at_others(Judgement& judgement, const StartedProgram& program) {
  if (judgement.outcome != Outcome::Allowed) return;
  const std::string name = base_name(program);
  const std::string shown = "`" + escaped(name) + "`";
  std::string reason;
  if (!program.unread.empty()) {
    reason = "band cannot find all programs that " + shown + " starts: it does not parse the line from " +
             shown_string(program.unread) + " on";
  } else if (const auto named = named_program(name, program.words)) {
    reason = shown + " starts a program by " + escaped(named->by);
    if (!named->text.empty()) reason += ": " + shown_string(named->text);
  } else if (runs_text(name)) {
    reason = shown + " runs the code that its arguments, a file or its input contain";
  } else {
    return;
  }
  if (!judgement.rule)
    depend(judgement, std::move(reason));
  else
    judgement.notes.push_back(std::move(reason));
  judgement.notes.emplace_back(kAskForIt);
}

Result<Judgement> judge_started(const StartedProgram& program, const Grounds& grounds, bool by_shell) {
  Question question;
  for (const ShellWord& word : program.words) question.argv.push_back(word.text);
  const std::string name = question.argv.front();
  BAND_TRY(Judgement judgement, judge_program(question, grounds, by_shell));
  if (!program.whole && (judgement.rule || names(grounds.rules.cli, name))) {
    depend(judgement, "the arguments that are appended to `" + escaped(name) + "` are not known before a run");
    judgement.mend = "ask about the whole line: -- " + question.text() + " ARGUMENTS";
  }
  look_at_others(judgement, program);
  if (judgement.outcome != Outcome::Refused) look_at_search_path(judgement, program, by_shell);
  return judgement;
}

// The words that bash reads before a command: assignments, `!`, and its keyword `time`, whose only option is -p.
struct Line {
  ShellCommand command;
  SearchPath path = SearchPath::Kept;
};

Line line_of(const std::vector<std::string>& argv) {
  Line line;
  std::size_t at = 0;
  const auto has_more = [&] { return at + 1 < argv.size(); };
  while (has_more() && (argv[at] == "!" || argv[at] == "time")) {
    const bool timed = argv[at] == "time";
    if (timed && argv[at + 1].starts_with('-') && argv[at + 1] != "-p" && argv[at + 1] != "--") break;
    ++at;
    while (timed && has_more() && (argv[at] == "-p" || argv[at] == "--")) ++at;
  }
  for (; has_more(); ++at) {
    const AssignmentHead head = assignment_head(argv[at]);
    if (head.size == 0) break;
    if (head.name == "PATH" && !head.has_subscript)
      line.path = SearchPath::Changed;  // bash does not export array elements
  }
  for (; at < argv.size(); ++at) line.command.words.push_back({.text = argv[at]});
  return line;
}

// Rejects a whole line in one word, as in -- 'gh pr list'.
Status check_words(const std::vector<std::string>& argv, const Grounds& grounds) {
  const std::size_t blank = argv.front().find(' ');
  if (argv.size() > 1 || blank == std::string::npos || argv.front().find('/') < blank) return done();
  if (names(grounds.rules.cli, argv.front())) return done();
  return Error{
      .code = Code::Usage,
      .doing = "the command line is one word: " + shown_string(argv.front().substr(0, kMaxShownPattern)),
      .hint = "write it without quotes around the whole line: -- " + escaped(argv.front().substr(0, kMaxShownPattern))};
}

// A higher weight is worse. Of two allowed programs, the one with a rule is the answer for the line.
int weight(const Judgement& judgement) {
  if (judgement.outcome == Outcome::Allowed) return judgement.rule ? 1 : 0;
  return judgement.outcome == Outcome::Depends ? 2 : 3;
}

// `next` is the judgement of one more program that the line starts; `worst` is the result so far.
void take_worse(std::optional<Judgement>& worst, Judgement next) {
  if (!worst) {
    worst = std::move(next);
    return;
  }
  const bool is_worse = weight(next) > weight(*worst);
  if (is_worse) next.reason = "it starts `" + next.question.text() + "`: " + next.reason;
  if (is_worse) std::swap(next, *worst);
  if (worst->outcome != Outcome::Allowed) return;
  worst->notes.insert(worst->notes.end(), next.notes.begin(), next.notes.end());
}

}  // namespace

Result<Judgement> judge_command(const Question& question, const Grounds& grounds) {
  BAND_CHECK(check_words(question.argv, grounds));
  const Line line = line_of(question.argv);
  std::optional<Judgement> worst;
  bool by_shell = true;
  const std::vector<StartedProgram> programs = started_programs(line.command, line.path);
  for (const StartedProgram& program : programs) {
    BAND_TRY(Judgement judgement, judge_started(program, grounds, by_shell));
    by_shell = by_shell && program.words.front().text == "command";
    take_worse(worst, std::move(judgement));
  }
  worst->question = question;
  if (programs.size() >= kMaxStartedPrograms && worst->outcome == Outcome::Allowed)
    depend(*worst, "the line starts " + std::to_string(kMaxStartedPrograms) +
                       " programs or more, and band checks only the first " + std::to_string(kMaxStartedPrograms));
  return std::move(*worst);
}

}  // namespace band::client
