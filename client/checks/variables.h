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
// `env` of the band sets. There is no note for a name that has a default in one place of the scripts (`${NAME:-x}`),
// because such a variable may be unset. There is no note for a script that sources unknown files, because these files
// can set any name. A script with `eval` gets notes only for names of secrets: `eval` can set any other name, but a
// secret comes from the caller.
void note_unset_variables(const ShellSkill& skill, std::vector<Diagnostic>& notes);

// Finds names in `env` of a band that no file of a script contains, unless a declared command may read the variable.
// Call add() for each script while the script's files are in memory; add() keeps no reference to them.
class EnvUses {
 public:
  void add(const Script& script);
  void note_unused(std::vector<Diagnostic>& notes) const;

 private:
  // The key is origin and name, because one band may apply to several scripts.
  std::map<std::pair<std::string, std::string>, bool> used_;
};

// Returns whether the name looks like that of a secret: `SITE_KEY`, `GITHUB_TOKEN`.
bool is_secret_name(std::string_view name);

}  // namespace band::client
