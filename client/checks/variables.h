// Variables of a skill's scripts. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/checks/shell_files.h"
#include "schemas/core/diagnostic.h"

namespace band::client {

// Uses of names that nothing sets: neither the scripts, nor the sandbox (docs/skills.md), nor bash, nor the band's
// `env`. A name that is used with a default anywhere (`${NAME:-x}`) may be unset. Files that are sourced from elsewhere
// can set any name; `eval` can, too, but for secrets, which come from the caller.
void note_unset_variables(const ShellSkill& skill, std::vector<Diagnostic>& notes);

// Names of `env` that no file of a script names, unless a declared command may read them. Each script is added while
// its files are in memory; nothing of them is kept.
class EnvUses {
 public:
  void add(const Script& script);
  void note_unused(std::vector<Diagnostic>& notes) const;

 private:
  std::map<std::pair<std::string, std::string>, bool> used_;  // by origin and name: a band may govern several scripts
};

// Does the name look like a secret's? `SITE_KEY`, `GITHUB_TOKEN`.
bool is_secret_name(std::string_view name);

}  // namespace band::client
