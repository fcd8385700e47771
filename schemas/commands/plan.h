// Determines from the rules of `cli` which commands an execution has. Pure.
//
// A *declared* command is one that the rules allow and that is not an essential (essentials.h). An essential is
// *shimmed* if a rule names it. For each declared command and each shimmed essential, PATH has a shim (band-shim) in
// the place of the program: the shim sends its command line to the broker, which compares the command line with the
// rules and starts the program (docs/architecture.md 6.4). All other essentials are started directly and without a
// check.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band {

inline constexpr std::string_view kShimName = "band-shim";  // reserved: no declared command may have this name

struct DeclaredCommand {
  std::string word;    // the first word of the rules for the command: a name, or the program's absolute path
  std::string name;    // the base name of `word`: the name of the shim, by which scripts call the command
  std::string origin;  // the origin of the first rule that names the command
};

struct CommandPlan {
  std::vector<DeclaredCommand> declared;  // sorted by name; each name once
  std::vector<std::string> shimmed;       // the names of the shimmed essentials
  std::vector<std::string> builtins;      // the names in `shimmed` that are also builtins of bash

  bool empty() const { return declared.empty() && shimmed.empty(); }
};

// A command is declared if every layer of `cli.opened` has a rule for it. Therefore a command that the band allows and
// the operator's ceiling does not allow is not declared, and scripts do not find the command. An essential is shimmed
// if any rule names it; bash and sh are never shimmed. `gh` and `/opt/x/gh` are different words: an allow rule for one
// does not allow the other, but a deny rule for one denies both. Errors (SkillInvalid): a rule that can never have an
// effect (check_command()); two programs with the same base name; a program that has the name of an essential but is
// another program; a name that is not a valid file name.
Result<CommandPlan> plan_commands(const Domain& cli);

// Returns the name of the essential that `word` names: as NAME, /bin/NAME or /usr/bin/NAME. Returns "" if `word` names
// no essential.
std::string_view essential_of(std::string_view word);

}  // namespace band
