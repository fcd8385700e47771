// The environment of a command: built anew, never the caller's. Pure.
//
// What a script puts into its environment reaches a command only where it cannot steer it: variables that the band
// declares, and language, time zone and terminal. Does not cover: what a program reads from files.
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

// From the least to the strongest: what the band's script has, too; `given`, the caller's environment, as far as it may
// be heard; what is fixed for each command; `taming`, the program's own (floor::Program::env). Secrets, and variables
// that choose a program's code (`PYTHONPATH`, `GIT_...`), are as the request had them, whatever the caller says now.
// `directory` is where the command starts. NAME=VALUE, sorted; the caller wipes it.
std::vector<std::string> command_environment(const EnvironmentPlan& plan, const std::string& name,
                                             const std::string& directory, const std::vector<std::string>& given,
                                             const std::vector<std::string>& taming);

// A variable of the caller's environment that the command does not have, or has with another value.
struct NotPassed {
  enum class Why {
    Undeclared,  // the band could declare it
    Steers,      // it chooses code: the band could declare it, and its caller, not the script, would say the value
    OfCaller,    // the band declares it, and its caller says the value
    OfBand,      // band sets it, or none gets it
    Value,       // one that tells language, zone or terminal, with a value that may not be heard
  };
  std::string name;
  Why why = Why::Undeclared;
};
inline constexpr std::size_t kMostNotPassed = 50;  // at least kMostVariables of the ledger: evidence/record.cc
// Those that the caller, the script or another command, set itself, kMostNotPassed + 1 at most; `environment` is what
// command_environment made of the same. Not among them: what a shell changes on its own (PWD, SHLVL, `_`), what band
// gave to the script, homes of commands, names that no band can declare for their length or characters. Names without
// values.
std::vector<NotPassed> not_passed(const EnvironmentPlan& plan, const std::vector<std::string>& given,
                                  const std::vector<std::string>& environment);

// Where a command has its files: a directory of the command view that no script sees.
std::string home_of(std::string_view name);

}  // namespace band::broker
