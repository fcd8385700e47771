// May this command line run? Pure.
//
// Does not cover: what a program does with its arguments. Rules bind command lines; docs/security.md says which
// programs they do not bind.
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
  std::string section;          // of `rule`: "allow.cli", "insist.cli" or "deny.cli"
  std::optional<Rule> rule;     // that allowed or denied; none for an essential that no rule narrows
  std::optional<Rule> nearest;  // nothing matched: the rule of the same command that matched the most words
  std::string reason;           // `deny.cli "jq -r *", hello/BAND.md:9`; escaped

  // What the caller of the command reads on stderr, a line; empty when it is allowed. And what the ledger keeps.
  // Secrets in `argv` must be masked before: shell_text cuts and quotes.
  std::string for_stderr(const std::vector<std::string>& argv) const;
  std::string for_ledger(const std::vector<std::string>& argv) const;
};

// A line that takes more than so many steps to compare with all rules of its command is denied: some 0.3 s of the
// slot's thread. It takes arguments of megabytes and rules with stars around words (`*word*`) or `**` in the middle.
inline constexpr std::uint64_t kMostSteps = 1u << 27;

class CommandRules {
 public:
  // `plan` is what plan_commands made of `cli`.
  static Result<CommandRules> compile(const Domain& cli, const CommandPlan& plan);

  // `argv[0]` is the name that the shim was called by, whatever the caller put there; the others are any bytes. Allowed
  // when every layer of what is opened has a rule that matches and no deny matches the line or its beginning. A shimmed
  // essential needs no rule. A name without a shim is Undeclared.
  Decision decide(const std::vector<std::string>& argv) const;
  // For a name that bash did not find: always Undeclared, with the reason.
  Decision not_found(const std::vector<std::string>& argv) const;

 private:
  using Parsed = ParsedRule<CliPattern>;
  using Layer = std::vector<Parsed>;
  struct Command {
    std::string word;  // that opens it; of an essential its name
    bool essential = false;
    Layer deny;
    std::vector<Layer> opened;
  };

  void explain_cut(const std::vector<Layer>& layers);
  static Decision judge(const Command& command, std::span<const std::string> arguments);
  Decision undeclared(std::string_view name) const;
  static std::uint64_t steps_of(const Command& command, std::span<const std::string> arguments);

  std::map<std::string, Command, std::less<>> commands_;  // by the name of the shim
  std::map<std::string, std::string, std::less<>> cut_;   // names that the band opens and the ceiling does not: why
};

}  // namespace band
