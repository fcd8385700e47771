// `band why`: reports whether an action would be allowed, and by which line, or the line to write. It runs nothing.
#include <algorithm>
#include <set>

#include "client/answers/grounds.h"
#include "client/answers/judgement.h"
#include "client/answers/question.h"
#include "client/commands/commands.h"
#include "client/commands/known_ceiling.h"
#include "client/commands/run_plan.h"
#include "client/commands/running.h"
#include "schemas/core/json_text.h"
#include "schemas/core/usage.h"

namespace band::client {
namespace {

using Outcome = Judgement::Outcome;

Result<std::vector<Question>> questions_of(const CommandLine& line) {
  std::vector<Question> questions;
  const auto add_paths = [&](Question::Kind kind, const std::vector<std::string>& paths) -> Status {
    for (const std::string& path : paths) {
      BAND_TRY(Question question, ask_path(kind, path));
      questions.push_back(std::move(question));
    }
    return done();
  };
  BAND_CHECK(add_paths(Question::Kind::Read, line.read));
  BAND_CHECK(add_paths(Question::Kind::Write, line.write));
  for (const std::string& host : line.net) {
    BAND_TRY(Question question, ask_net(host));
    questions.push_back(std::move(question));
  }
  if (!line.command.empty()) {
    BAND_TRY(Question question, ask_command(line.command));
    questions.push_back(std::move(question));
  }
  if (questions.empty())
    return usage("`band why` needs a question",
                 "add --read PATH, --write PATH, --net HOST[:PORT], or a command line after `--`: band why " +
                     escaped(line.arguments.front().substr(0, 100)) + " -- gh repo delete x");
  return questions;
}

Result<Script> asked_script(const CommandLine& line, Terminal& terminal) {
  if (line.arguments.size() == 1) return named_script(line, terminal);
  return usage(line.arguments.empty() ? "`band why` needs a script" : "`band why` accepts one script",
               "band why SKILL/SCRIPT --read PATH, or band why SKILL/SCRIPT -- COMMAND");
}

struct Answers {
  Script script;
  std::optional<JsonValue> input;
  KnownCeiling ceiling;
  std::optional<Error> refused;  // why no run of the script can start
  std::vector<Judgement> all;

  bool allowed() const {
    return !refused && std::all_of(all.begin(), all.end(),
                                   [](const Judgement& judgement) { return judgement.outcome == Outcome::Allowed; });
  }
};

Result<Answers> answers_to(const CommandLine& line, Terminal& terminal) {
  Answers answers;
  BAND_TRY(answers.script, asked_script(line, terminal));
  BAND_TRY(const std::vector<Question> questions, questions_of(line));
  if (line.input) {
    BAND_TRY(answers.input, input_of(line, answers.script, limits_of(answers.script.band)));
  }
  BAND_TRY(answers.ceiling, ask_ceiling(line, terminal));
  BAND_TRY(Grounds grounds, grounds_of(answers.script.band, answers.input, answers.ceiling.rules));
  const BandFile& band = answers.script.band.band;
  const std::string& target = answers.ceiling.target;
  if (const Status placed = check_place(band, target, answers.script.place.name); !target.empty() && !placed.ok())
    grounds.refused = placed.error();
  answers.refused = grounds.refused;
  for (const Question& question : questions) {
    BAND_TRY(Judgement judgement, judge(question, grounds));
    answers.all.push_back(std::move(judgement));
  }
  return answers;
}

// ---- text ---------------------------------------------------------------------------------------------------------

constexpr const char* kIndent = "        ";

const char* word_of(Outcome outcome) {
  return outcome == Outcome::Allowed ? "yes     " : outcome == Outcome::Refused ? "no      " : "depends ";
}

std::string remedy_text(const Remedy& remedy) {
  std::string text = kIndent + remedy.instruction() + "\n";
  if (!remedy.pattern.empty() && !remedy.wider.empty())
    text += std::string(kIndent) + "or, wider:  " + remedy.text(remedy.wider) + "\n";
  return text;
}

std::string judgement_text(const Judgement& judgement, std::set<std::string>& printed, const Terminal& terminal) {
  std::string text = terminal.bold(word_of(judgement.outcome)) + printable_line(judgement.question.text()) + "\n";
  text += kIndent + printable_line(judgement.reason) + "\n";
  if (judgement.nearest && judgement.reason.find("nearest") == std::string::npos)
    text += std::string(kIndent) + "the nearest rule: " + shown_string(judgement.nearest->pattern) + ", " +
            printable_line(judgement.nearest->origin) + "\n";
  for (const Remedy& remedy : judgement.remedies) text += remedy_text(remedy);
  if (!judgement.mend.empty()) text += kIndent + printable_line(judgement.mend) + "\n";
  for (const std::string& note : judgement.notes)
    if (printed.insert(note).second) text += kIndent + ("note: " + printable_line(note)) + "\n";
  return text;
}

std::string ceiling_text(const KnownCeiling& ceiling) {
  if (ceiling.rules) return "with the operator's ceiling of target " + ceiling.target + "\n";
  return "note: the operator's ceiling " + (ceiling.target.empty() ? "" : "for target " + ceiling.target + " ") +
         "was not checked: " + printable_line(ceiling.unknown) + "\n";
}

std::string answers_text(const Answers& answers, const Terminal& terminal) {
  std::string text;
  std::set<std::string> printed;
  for (const Judgement& judgement : answers.all) text += judgement_text(judgement, printed, terminal);
  if (answers.refused)
    text += "no run of " + answers.script.place.name + " can start: " + printable_line(answers.refused->message()) +
            (answers.refused->hint.empty() ? "" : "; " + printable_line(answers.refused->hint)) + "\n";
  return text + ceiling_text(answers.ceiling);
}

// ---- JSON ---------------------------------------------------------------------------------------------------------

std::string rule_to_json(const std::optional<Rule>& rule) {
  if (!rule) return "null";
  return json_object({{"pattern", json_string(rule->pattern)}, {"origin", json_string(rule->origin)}});
}

std::string question_to_json(const Question& question) {
  const std::string kind = json_string(question.domain());
  if (question.kind == Question::Kind::Command)
    return json_object({{"kind", kind}, {"argv", json_list(question.argv)}});
  if (question.is_path()) return json_object({{"kind", kind}, {"path", json_string(question.written_path())}});
  return json_object(
      {{"kind", kind}, {"host", json_string(question.host.text())}, {"port", std::to_string(question.port)}});
}

std::string remedy_to_json(const Remedy& remedy) {
  return json_object({{"file", json_string(remedy.file)},
                      {"line", remedy.list.line > 0 ? std::to_string(remedy.list.line) : "null"},
                      {"write", remedy.pattern.empty() ? "null" : json_string(remedy.yaml(remedy.pattern))},
                      {"wider", remedy.wider.empty() ? "null" : json_string(remedy.yaml(remedy.wider))}});
}

std::string judgement_to_json(const Judgement& judgement) {
  std::string remedies;
  for (const Remedy& remedy : judgement.remedies) remedies += (remedies.empty() ? "" : ",") + remedy_to_json(remedy);
  const char* outcome = judgement.outcome == Outcome::Allowed   ? "allowed"
                        : judgement.outcome == Outcome::Refused ? "refused"
                                                                : "depends";
  return json_object({{"question", question_to_json(judgement.question)},
                      {"outcome", json_string(outcome)},
                      {"section", judgement.section.empty() ? "null" : json_string(judgement.section)},
                      {"rule", rule_to_json(judgement.rule)},
                      {"nearest", rule_to_json(judgement.nearest)},
                      {"reason", json_string(judgement.reason)},
                      {"remedies", "[" + remedies + "]"},
                      {"mend", judgement.mend.empty() ? "null" : json_string(judgement.mend)},
                      {"notes", json_list(judgement.notes)}});
}

std::string answers_to_json(const Answers& answers) {
  std::string all;
  for (const Judgement& judgement : answers.all) all += (all.empty() ? "" : ",") + judgement_to_json(judgement);
  const KnownCeiling& ceiling = answers.ceiling;
  const std::string ceiling_json =
      json_object({{"known", ceiling.rules ? "true" : "false"},
                   {"target", ceiling.target.empty() ? "null" : json_string(ceiling.target)},
                   {"why", ceiling.rules ? "null" : json_string(ceiling.unknown)}});
  return json_object({{"script", json_string(answers.script.place.name)},
                      {"bands", json_list(answers.script.band.files)},
                      {"allowed", answers.allowed() ? "true" : "false"},
                      {"input", answers.input ? dump_json(*answers.input) : "null"},
                      {"ceiling", ceiling_json},
                      {"refused", answers.refused ? json_object({{"message", json_string(answers.refused->message())},
                                                                 {"hint", json_string(answers.refused->hint)}})
                                                  : "null"},
                      {"answers", "[" + all + "]"}});
}

}  // namespace

int why_command(const CommandLine& line, Terminal& terminal) {
  const auto answers = answers_to(line, terminal);
  if (!answers.ok()) return fail(line, terminal, answers.error());
  const int printed = line.json ? print_json_text(terminal, answers_to_json(*answers))
                                : print(terminal, answers_text(*answers, terminal));
  if (printed != 0) return printed;
  return answers->allowed() ? 0 : exit_code(Code::PermissionDenied);
}

}  // namespace band::client
