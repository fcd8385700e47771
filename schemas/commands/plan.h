// Determines the commands of an execution besides the essentials, and the essentials that need the broker. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band {

inline constexpr std::string_view kShimName = "band-shim";  // reserved: no declared command may have this name

struct DeclaredCommand {
  std::string word;    // as written in the rules: a name, or the absolute path of the program
  std::string name;    // its base name: scripts call it, and the shim has it
  std::string origin;  // origin of the first rule that names the command
};

struct CommandPlan {
  std::vector<DeclaredCommand> declared;  // sorted by name; each name once
  std::vector<std::string> shimmed;       // essentials that a rule names: run by the broker, like declared commands
  std::vector<std::string> builtins;      // those of `shimmed` that are also bash builtins

  bool empty() const { return declared.empty() && shimmed.empty(); }
};

// A command is declared when every layer of `cli.opened` names it; a command that the operator's ceiling does not name
// does not exist. An essential is shimmed when any rule names it, except bash and sh. `gh` and `/opt/x/gh` are
// different words: a rule that opens one does not open the other, but a deny of either denies both.
// Errors (SkillInvalid): rules that can never work (check_command); one name for two programs; the name of an essential
// for a program that is not an essential; a name that is not a valid file name.
Result<CommandPlan> plan_commands(const Domain& cli);

// Returns the essential that `word` names, also as /bin/NAME or /usr/bin/NAME; "" if it names none.
std::string_view essential_of(std::string_view word);

}  // namespace band
