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

// Adds a note for each use of a variable that neither the scripts, nor the sandbox (docs/skills.md), nor bash, nor
// `env` of the band sets. There is no note for a variable to which one place of the scripts gives a default
// (`${NAME:-x}`), because such a variable may be unset. There is no note for a script that sources unknown files,
// because these files can set any variable. For a script that calls `eval`, there are notes only for variables with the
// name of a secret: `eval` could set every other variable, but the value of a secret comes from the caller.
void note_unset_variables(const ShellSkill& skill, std::vector<Diagnostic>& notes);

// Finds unused variables of `env`: no file of a script to which the band applies contains the variable's name, and no
// declared command may read the variable. Call add() for each script while the script's files are in memory; add()
// keeps no reference to them.
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
