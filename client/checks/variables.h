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

// Notes uses of variables that are set neither by the scripts, nor by the sandbox (docs/skills.md), bash or the band's
// `env`. A name that has a default in one place (`${NAME:-x}`) may be unset. Unknown sourced files can set any name. So
// can `eval`, except secrets, which come from the caller.
void note_unset_variables(const ShellSkill& skill, std::vector<Diagnostic>& notes);

// Finds names of `env` that no file of a script contains, unless a declared command may read them. Scripts are added
// one at a time while their files are in memory; the files are not kept.
class EnvUses {
 public:
  void add(const Script& script);
  void note_unused(std::vector<Diagnostic>& notes) const;

 private:
  std::map<std::pair<std::string, std::string>, bool>
      used_;  // by origin and name: one band may apply to several scripts
};

// Returns whether the name looks like that of a secret: `SITE_KEY`, `GITHUB_TOKEN`.
bool is_secret_name(std::string_view name);

}  // namespace band::client
