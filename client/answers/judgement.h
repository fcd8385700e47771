// Would this be allowed, by which line; else what is to be written where. Pure: the decisions are those of the code
// that enforces the rules (CommandRules, NetRules, PathRules, the client's write-back).
//
// Does not cover what only a run shows, and says so in notes: programs that the machine lacks, what is on a disk
// (links, permissions, files that are there), the addresses that a name has, and what is said on a connection.
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
  enum class Outcome { Allowed, Refused, Depends };  // Depends: on what is not known before a run
  Question question;
  Outcome outcome = Outcome::Refused;
  std::string section;             // of `rule`: "allow.cli", "deny.read"
  std::optional<Rule> rule;        // that allows or closes it, or on which it depends
  std::optional<Rule> nearest;     // nothing opens it: the rule that comes nearest
  std::string reason;              // escaped
  std::string mend;                // in words, where no line of a BAND.md opens it; escaped
  std::vector<Remedy> remedies;    // else: all of them together open it
  std::vector<std::string> notes;  // what only the server or a run decides; escaped
};

Result<Judgement> judge(const Question& question, const Grounds& grounds);

// Of each kind, for judge() alone. A command line with the programs that it starts (client/shell/started.h): the worst
// outcome of them is that of the line.
Result<Judgement> judge_command(const Question& question, const Grounds& grounds);
Result<Judgement> judge_path(const Question& question, const Grounds& grounds);
Result<Judgement> judge_net(const Question& question, const Grounds& grounds);

// ---- what the kinds have in common --------------------------------------------------------------------------------

// The opening rule that has the most in common with what is asked for, the first of several; nullopt from `common`: the
// rule is left out.
std::optional<Rule> nearest_of(const Domain& domain,
                               const std::function<std::optional<std::size_t>(const Rule&)>& common);
// A deny closes it: `own` are the denies of the band.
void closed_by_deny(Judgement& judgement, const Rule& deny, const RuleSet& own);
// Nothing denies it, and some layer of the band or of the operator's ceiling does not open it. `opens` says whether one
// layer alone does.
using Opens = std::function<Result<bool>(const RuleSet& layer)>;
Status not_opened(Judgement& judgement, const Grounds& grounds, Domain Rules::*domain, const Opens& opens);

}  // namespace band::client
