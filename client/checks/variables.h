// Checks the variables of a skill's scripts. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/checks/shell_files.h"
#include "schemas/core/diagnostic.h"

namespace band::client {

// Adds a note for each use of a variable that has no value: the scripts do not set it, `env` of the band does not
// declare it, and neither the sandbox (docs/skills.md) nor bash sets it. There is no note for a variable to which one
// place of the scripts gives a default (`${NAME:-x}`), because such a variable may be unset. There is no note for a
// script that sources a file that is not one of the skill's shell files, because this file can set any variable.
//
// A script that calls `eval` could set every variable. For such a script there are notes only for variables with the
// name of a secret, because the value of a secret comes from the caller.
void note_unset_variables(const ShellSkill& skill, std::vector<Diagnostic>& notes);

// Finds unused variables of `env`. A variable counts as used if a file of a script to which the band applies contains
// the variable's name, if it is a proxy variable, or if the band declares a command other than curl and wget: such a
// command may read any variable. Call add() for each script while the script's files are in memory; add() stores no
// reference to them.
class EnvUses {
 public:
  void add(const Script& script);
  void note_unused(std::vector<Diagnostic>& notes) const;

 private:
  // From the origin and name of a variable of `env` to whether the variable is used. One band may apply to several
  // scripts, so several calls of add() may refer to the same entry.
  std::map<std::pair<std::string, std::string>, bool> used_;
};

// Returns whether the name looks like that of a secret: `SITE_KEY`, `GITHUB_TOKEN`.
bool is_secret_name(std::string_view name);

}  // namespace band::client
