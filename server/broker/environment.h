// The environment of a command. The *caller* is the process that starts the command: a process of the script or of
// another command. The environment is built from scratch, and not copied from the caller. Pure.
//
// A variable that the caller has set is passed to a command in two cases:
// - the variable sets language, time zone or terminal, and its value has an accepted form;
// - any other variable: the band declares it, but not as a secret, and it does not select the code of a program (as
//   `PYTHONPATH` does).
// Does not cover: configuration files from which a program reads its settings.
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

// Returns sorted NAME=VALUE strings. The strings contain secrets, so the calling function must wipe them. `name` is the
// name of the command, `directory` its working directory. The sources of the variables are, with increasing precedence:
// - the environment with which the script was started. From it every command gets PATH and some other variables, and
//   three kinds of declared variables: secrets; variables that select a program's code (`PYTHONPATH`, `GIT_...`);
//   variables that set language, time zone or terminal. Declared variables have the values that `band`, the client,
//   sent with the execution's request. For secrets and for variables that select code, the caller's values are ignored;
// - `given`, the caller's environment: only the variables that may be passed;
// - variables that band sets for every command, such as HOME and PAGER;
// - `taming`: variables that band sets for this program (floor::Command::env, server/floor/command_floor.h).
std::vector<std::string> command_environment(const EnvironmentPlan& plan, const std::string& name,
                                             const std::string& directory, const std::vector<std::string>& given,
                                             const std::vector<std::string>& taming);

// A variable of the caller's environment that the command does not have, or that has another value in the command.
struct NotPassed {
  enum class Why {
    // The band does not declare the variable. If the band declared it (not as a secret), the command would get the
    // caller's value.
    Undeclared,
    // The band does not declare the variable. If the band declared it, the command would get the value that `band`
    // sent, because the variable selects a program's code.
    Steers,
    OfCaller,  // the band declares the variable, and the command has the value that `band` sent
    OfBand,    // only band sets the variable, or no command gets the variable
    Value,     // the variable sets language, time zone or terminal, and its value is not accepted
  };
  std::string name;
  Why why = Why::Undeclared;
};
// Not less than ledger::kMostVariables, the maximum number of such variables in the ledger (checked in
// evidence/record.cc).
inline constexpr std::size_t kMostNotPassed = 50;
// Returns the variables that the caller has set and that the command does not get with this value. Returns at most
// kMostNotPassed + 1 variables; a result of this size means that there are more than kMostNotPassed. `environment` is
// the result of command_environment() for the same `plan` and `given`. Does not return:
// - variables that shells set themselves (PWD, SHLVL, `_`) or that band uses for bash (BASH_ENV);
// - variables that have the same value as in the environment with which the script was started;
// - variables whose value is a path in the home of a command (home_of()): band has set them for a command that now
//   starts another command;
// - names that no band can declare because of their length or characters.
std::vector<NotPassed> not_passed(const EnvironmentPlan& plan, const std::vector<std::string>& given,
                                  const std::vector<std::string>& environment);

// Returns the HOME of the command `name`: a directory of the command view that the script view does not have.
std::string home_of(std::string_view name);

}  // namespace band::broker
