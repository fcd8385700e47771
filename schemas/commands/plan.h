// Which commands an execution has beyond the essentials, and which essentials are watched. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band {

inline constexpr std::string_view kShimName = "band-shim";  // taken: of the program that asks for commands

struct DeclaredCommand {
  std::string word;    // as the rules write it: a name, or the absolute path of the program
  std::string name;    // its base name: what scripts call, and the shim's
  std::string origin;  // of the first rule that names it
};

struct CommandPlan {
  std::vector<DeclaredCommand> declared;  // by name; each name once
  std::vector<std::string> shimmed;       // essentials that a rule names: asked for, like declared ones
  std::vector<std::string> builtins;      // those of them that bash would do itself

  bool empty() const { return declared.empty() && shimmed.empty(); }
};

// A command is declared when every layer of what is opened names it: what the operator's ceiling does not name does not
// exist. An essential is shimmed when any rule names it, bash and sh never. `gh` and `/opt/x/gh` are two words, and
// what opens one does not open the other; but a deny of either denies the name.
// Errors (SkillInvalid): rules that can never work (check_command); one name for two programs, or for a program that is
// no essential but has its name; a name that cannot be a file's.
Result<CommandPlan> plan_commands(const Domain& cli);

// The essential that this word means, also written /bin/NAME or /usr/bin/NAME; empty when it means none.
std::string_view essential_of(std::string_view word);

}  // namespace band
