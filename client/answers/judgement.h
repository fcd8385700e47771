// Decides whether the rules allow an action and names the line that decides, or the line to write in a BAND.md. Pure:
// the decisions come from the code that enforces the rules (CommandRules, NetRules, PathRules, the client's
// write-back).
//
// Does not cover facts that only a run shows; notes name them: programs missing on the machine, the state of the disk
// (links, permissions, existing files), the addresses of a name, and the data of a connection.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "client/answers/grounds.h"
#include "client/answers/question.h"
#include "client/answers/remedy.h"
#include "schemas/rules/rules.h"

namespace band::client {

struct Judgement {
  enum class Outcome { Allowed, Refused, Depends };  // Depends: on something unknown before a run
  Question question;
  Outcome outcome = Outcome::Refused;
  std::string section;             // the section of `rule`: "allow.cli", "deny.read"
  std::optional<Rule> rule;        // the rule that allows or denies it, or on which it depends
  std::optional<Rule> nearest;     // if no rule opens it: the most similar rule
  std::string reason;              // escaped
  std::string mend;                // the remedy in words, if no line in a BAND.md can open it; escaped
  std::vector<Remedy> remedies;    // otherwise: all of them are needed to open it
  std::vector<std::string> notes;  // decided only by the server or by a run; escaped
};

Result<Judgement> judge(const Question& question, const Grounds& grounds);

// One kind of question each, for judge(). The answer for a command line is the worst outcome among the programs that it
// starts (client/shell/started.h).
Result<Judgement> judge_command(const Question& question, const Grounds& grounds);
Result<Judgement> judge_path(const Question& question, const Grounds& grounds);
Result<Judgement> judge_net(const Question& question, const Grounds& grounds);

// ---- common to all kinds ------------------------------------------------------------------------------------------

// Returns the opening rule with the highest value of `common`, the first of equals. Rules with nullopt are left out.
std::optional<Rule> nearest_of(const Domain& domain,
                               const std::function<std::optional<std::size_t>(const Rule&)>& common);
// Sets the result for a path, host or command that `deny` closes. `own`: the denies of the band; any other
// deny comes from the ceiling.
void closed_by_deny(Judgement& judgement, const Rule& deny, const RuleSet& own);
// Sets the result if no deny matches and some layer of the band or of the operator's ceiling does not open it. `opens`
// returns whether one layer alone opens it.
using Opens = std::function<Result<bool>(const RuleSet& layer)>;
Status not_opened(Judgement& judgement, const Grounds& grounds, Domain Rules::*domain, const Opens& opens);

}  // namespace band::client
