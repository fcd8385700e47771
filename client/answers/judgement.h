// Decides whether the rules allow an action. Names the rule that decides. For an action that is not allowed, also names
// the line to write in a BAND.md so that the action is allowed. Pure. The decision is made by the code that also
// enforces the rules in a run (CommandRules, NetRules, PathRules, the client's write-back).
//
// Some facts are not known before a run: which programs the machine has, the state of the disk (links, permissions,
// existing files), the addresses of a host name, and the data that a connection transfers. The decision does not
// consider these facts; Judgement::notes names those on which the action also depends.
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
  enum class Outcome { Allowed, Refused, Depends };  // Depends: on a fact that is unknown before a run
  Question question;
  Outcome outcome = Outcome::Refused;
  std::string section;             // the section of `rule`: "allow.cli", "deny.read"
  std::optional<Rule> rule;        // the rule that allows or denies the action, or on which the outcome depends
  std::optional<Rule> nearest;     // if no rule allows the action: the most similar rule
  std::string reason;              // why this is the outcome; escaped
  std::string mend;                // if no line in a BAND.md can allow the action: what the user can do; escaped
  std::vector<Remedy> remedies;    // lines that allow the action; all of them are needed
  std::vector<std::string> notes;  // facts that only the server or a run decides; escaped
};

Result<Judgement> judge(const Question& question, const Grounds& grounds);

// Each of these functions is judge() for one kind of question. A command line can start several programs
// (client/shell/started.h); the outcome of the command line is then the worst outcome of these programs. Refused is
// worse than Depends, and Depends is worse than Allowed.
Result<Judgement> judge_command(const Question& question, const Grounds& grounds);
Result<Judgement> judge_path(const Question& question, const Grounds& grounds);
Result<Judgement> judge_net(const Question& question, const Grounds& grounds);

// ---- common to all kinds ------------------------------------------------------------------------------------------

// Returns the rule of `allow` or `insist` in `domain` for which `common` returns the highest number. If `common`
// returns this number for several rules, returns the first of these rules. Ignores rules for which `common` returns
// nullopt.
std::optional<Rule> nearest_of(const Domain& domain,
                               const std::function<std::optional<std::size_t>(const Rule&)>& common);
// Fills `judgement` for a path, host or command that the rule `deny` denies. `own`: the deny rules of the band. A
// `deny` that is not in `own` comes from the operator's ceiling.
void closed_by_deny(Judgement& judgement, const Rule& deny, const RuleSet& own);
// Fills `judgement` for an action that is not allowed although no deny rule matches it. A Domain has one layer for each
// of the bands that are intersected. An action is allowed only if every layer of the band's Domain and of the ceiling's
// Domain allows it. `opens` returns whether `layer` allows the action of `judgement`.
using Opens = std::function<Result<bool>(const RuleSet& layer)>;
Status not_opened(Judgement& judgement, const Grounds& grounds, Domain Rules::*domain, const Opens& opens);

}  // namespace band::client
