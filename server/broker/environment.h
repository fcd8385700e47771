// The environment of a command: built from scratch, not copied from the caller. Pure.
//
// A variable that the script has set reaches a command only if the band declares it and it does not select the
// program's code, or if it sets language, time zone or terminal. Does not cover: files that a program reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemas/rules/rules.h"

namespace band::broker {

struct EnvironmentPlan {
  const std::vector<std::string>& script;  // the environment that the script was started with: ExecutionPlan::env
  const std::vector<EnvRule>& declared;    // Rules::env
};

// Returns NAME=VALUE strings, sorted, which the caller wipes. Sources, with increasing precedence: variables of the
// script; `given`, the caller's environment, as far as it is accepted; the fixed variables of each command; `taming`,
// the program's own (floor::Program::env). Secrets, and variables that select a program's code (`PYTHONPATH`,
// `GIT_...`), have the values of the request, regardless of the caller's current values. `directory` is the working
// directory.
std::vector<std::string> command_environment(const EnvironmentPlan& plan, const std::string& name,
                                             const std::string& directory, const std::vector<std::string>& given,
                                             const std::vector<std::string>& taming);

// A variable of the caller's environment that the command lacks, or has with another value.
struct NotPassed {
  enum class Why {
    Undeclared,  // the band does not declare it, but could
    Steers,      // as Undeclared, but it selects code: if declared, its value would come from the request
    OfCaller,    // the band declares it, and its value comes from the request
    OfBand,      // band sets it, or no command gets it
    Value,       // it sets language, time zone or terminal, and its value is not accepted
  };
  std::string name;
  Why why = Why::Undeclared;
};
inline constexpr std::size_t kMostNotPassed = 50;  // at least kMostVariables of the ledger: evidence/record.cc
// Returns the variables that the caller (the script or another command) set itself and that the command does not get,
// at most kMostNotPassed + 1, names only. `environment` is the result of command_environment for the same arguments.
// Excluded are: variables that a shell changes itself (PWD, SHLVL, `_`), values that band gave to the script, homes of
// commands, and names that no band can declare because of their length or characters.
std::vector<NotPassed> not_passed(const EnvironmentPlan& plan, const std::vector<std::string>& given,
                                  const std::vector<std::string>& environment);

// Returns the HOME of a command: a directory of the command view that is not in the script's view.
std::string home_of(std::string_view name);

}  // namespace band::broker
