// The environment of a command. It is built from scratch and not copied from the caller (the script, or a command that
// calls another command). Pure.
//
// A variable that the script has set is passed to a command in two cases: the band declares the variable and it does
// not select the code of a program (such as `PYTHONPATH`); or the variable sets language, time zone or terminal.
// Does not cover: files that a program reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemas/rules/rules.h"

namespace band::broker {

struct EnvironmentPlan {
  const std::vector<std::string>& script;  // the environment with which the script was started: ExecutionPlan::env
  const std::vector<EnvRule>& declared;    // Rules::env
};

// Returns sorted NAME=VALUE strings. They contain secrets, so the calling function must wipe them. The sources of the
// variables are, with increasing precedence:
// - the environment with which the script was started;
// - `given`: those variables of the caller's environment that are accepted;
// - variables with a fixed value in each command, such as HOME and PAGER;
// - `taming`: the variables of this program (floor::Program::env).
// Secrets, and variables that select a program's code (`PYTHONPATH`, `GIT_...`), have the values of the request,
// whatever values the caller has set. `directory` is the working directory of the command.
std::vector<std::string> command_environment(const EnvironmentPlan& plan, const std::string& name,
                                             const std::string& directory, const std::vector<std::string>& given,
                                             const std::vector<std::string>& taming);

// A variable of the caller's environment that the command does not have, or has with another value.
struct NotPassed {
  enum class Why {
    Undeclared,  // the band does not declare the variable, but could
    Steers,      // as Undeclared, but the variable selects code: if declared, its value would come from the request
    OfCaller,    // the band declares the variable, and its value comes from the request
    OfBand,      // band sets the variable, or no command gets it
    Value,       // the variable sets language, time zone or terminal, and its value is not accepted
  };
  std::string name;
  Why why = Why::Undeclared;
};
// Not less than ledger::kMostVariables (checked in evidence/record.cc).
inline constexpr std::size_t kMostNotPassed = 50;
// Returns the names of variables that the caller has set and that the command does not get, at most kMostNotPassed + 1.
// `environment` is the result of command_environment() for the same `plan` and `given`. Not returned are variables that
// a shell changes itself (PWD, SHLVL, `_`), variables that have the value that band gave to the script, variables whose
// value is in the home of a command, and names that no band can declare because of their length or characters.
std::vector<NotPassed> not_passed(const EnvironmentPlan& plan, const std::vector<std::string>& given,
                                  const std::vector<std::string>& environment);

// Returns the HOME of the command `name`: a directory of the command view that the script view does not have.
std::string home_of(std::string_view name);

}  // namespace band::broker
