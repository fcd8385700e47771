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
  std::string section;          // the section of `rule`: "allow.cli", "deny.read"; "" without a rule
  std::optional<Rule> rule;     // the rule that allows or denies the action, or on which the outcome depends
  std::optional<Rule> nearest;  // if no rule allows the action: the most similar rule, if there is one
  std::string reason;           // why this is the outcome; escaped
  // What the user can do if lines in a BAND.md do not suffice; escaped. If `mend` and `remedies` are both set, both are
  // needed: neither the operator's ceiling nor the band allows the action.
  std::string mend;
  std::vector<Remedy> remedies;    // lines that allow the action; all of them are needed
  std::vector<std::string> notes;  // facts that only the server or a run decides; escaped
};

// Error (Code::Usage): the command line is one word that contains blanks, as in -- 'gh pr list'. Such a word is valid
// only if it is a path, or if a rule of `cli` names a command with this name.
Result<Judgement> judge(const Question& question, const Grounds& grounds);

// Each of these functions is judge() for one kind of question, without Grounds::refused: only judge() changes Allowed
// to Refused if the server refuses every run. A command line can start several programs (client/shell/started.h); the
// outcome of the command line is then the worst outcome of these programs. Refused is worse than Depends, and Depends
// is worse than Allowed.
Result<Judgement> judge_command(const Question& question, const Grounds& grounds);
Result<Judgement> judge_path(const Question& question, const Grounds& grounds);
Result<Judgement> judge_net(const Question& question, const Grounds& grounds);

// ---- common to all kinds ------------------------------------------------------------------------------------------

// Returns the rule of `allow` or `insist` in `domain` for which `common` returns the highest number. `common` returns
// how much a rule has in common with the action, or nullopt for a rule that must be ignored. If the highest number is
// that of several rules, returns the first of these rules. Returns nullopt when all rules are ignored.
std::optional<Rule> nearest_of(const Domain& domain,
                               const std::function<std::optional<std::size_t>(const Rule&)>& common);
// Sets the members outcome, rule, reason and `mend` of `judgement` for a path, host or command that the rule `deny`
// denies. The caller must set Judgement::section first. `own`: the deny rules of the band. A `deny` that is not in
// `own` comes from the operator's ceiling.
void closed_by_deny(Judgement& judgement, const Rule& deny, const RuleSet& own);
// Sets the members outcome, remedies and `mend` of `judgement` for an action that is not allowed although no deny rule
// matches it. A Domain has one layer (a list of allow and insist rules) for each of the bands that are intersected. An
// action is allowed only if every layer of the band's Domain and of the ceiling's Domain allows it. `domain`: the
// member of Rules (cli, net, read or write) to which the action belongs. `opens` returns whether `layer` allows the
// action. Returns the first error of `opens`.
using Opens = std::function<Result<bool>(const RuleSet& layer)>;
Status not_opened(Judgement& judgement, const Grounds& grounds, Domain Rules::*domain, const Opens& opens);

}  // namespace band::client
