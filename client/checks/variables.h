// Variables of a skill's scripts. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "client/checks/shell_files.h"
#include "schemas/core/diagnostic.h"

namespace band::client {

// Uses of names that nothing sets: neither the scripts, nor the sandbox (docs/skills.md), nor bash, nor the band's
// `env`. A name that is used with a default anywhere (`${NAME:-x}`) may be unset. Files that are sourced from elsewhere
// can set any name; `eval` can, too, but for secrets, which come from the caller.
void note_unset_variables(const ShellSkill& skill, std::vector<Diagnostic>& notes);

// Names of `env` that no file of a script names, unless a declared command may read them.
void note_unused_variables(const ShellSkill& skill, std::vector<Diagnostic>& notes);

// Does the name look like a secret's? `SITE_KEY`, `GITHUB_TOKEN`.
bool is_secret_name(std::string_view name);

}  // namespace band::client
