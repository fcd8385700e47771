// Decides whether a command line may run. Pure.
//
// Does not cover: what a program does with its arguments. Rules restrict command lines; docs/security.md lists the
// programs that such rules do not restrict.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/commands/plan.h"
#include "schemas/core/result.h"
#include "schemas/pattern/pattern.h"
#include "schemas/rules/parsed_rule.h"
#include "schemas/rules/rules.h"

namespace band {

struct Decision {
  enum class Outcome { Allowed, Denied, Undeclared };
  Outcome outcome = Outcome::Undeclared;
  std::string section;          // the section of `rule`: "allow.cli", "insist.cli" or "deny.cli"
  std::optional<Rule> rule;     // the rule that allowed or denied; absent for an essential that no rule narrows
  std::optional<Rule> nearest;  // when no rule matched: the rule of the same command that matched the most words
  std::string reason;           // `deny.cli "jq -r *", hello/BAND.md:9`; escaped

  // The line for the command's stderr (empty when it is allowed), and the text for the ledger.
  // Secrets in `argv` must be masked before the call, because shell_text cuts and quotes.
  std::string for_stderr(const std::vector<std::string>& argv) const;
  std::string for_ledger(const std::vector<std::string>& argv) const;
};

// Maximum number of steps for comparing a line with all rules of its command: about 0.3 s of the slot's thread. A line
// that needs more is denied. Only arguments of megabytes with rules like `*word*` or with `**` in the middle need more.
inline constexpr std::uint64_t kMostSteps = 1u << 27;

class CommandRules {
 public:
  // `plan` must be the result of plan_commands(cli).
  static Result<CommandRules> compile(const Domain& cli, const CommandPlan& plan);

  // `argv[0]` is the file name of the shim, not the argv[0] of the script; the other arguments are arbitrary bytes.
  // Allowed when every layer of `cli.opened` has a matching rule and no deny matches the line or a prefix of it. A
  // shimmed essential needs no rule. A name without a shim is Undeclared.
  Decision decide(const std::vector<std::string>& argv) const;
  // For a name that bash did not find: returns Undeclared with the reason.
  Decision not_found(const std::vector<std::string>& argv) const;

 private:
  using Parsed = ParsedRule<CliPattern>;
  using Layer = std::vector<Parsed>;
  struct Command {
    std::string word;  // the word of the rules that open it; for an essential its name
    bool essential = false;
    Layer deny;
    std::vector<Layer> opened;
  };

  void explain_cut(const std::vector<Layer>& layers);
  static Decision judge(const Command& command, std::span<const std::string> arguments);
  Decision undeclared(std::string_view name) const;
  static std::uint64_t steps_of(const Command& command, std::span<const std::string> arguments);

  std::map<std::string, Command, std::less<>> commands_;  // by the name of the shim
  std::map<std::string, std::string, std::less<>> cut_;   // names that the band opens but the ceiling does not: reason
};

}  // namespace band
