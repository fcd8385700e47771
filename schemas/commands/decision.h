// Decides by the rules of `cli` whether a command line may run. Pure. plan.h explains declared commands, shims and
// shimmed essentials.
//
// Does not cover: what a program does with its arguments. For some programs no rule about the command line restricts
// what they do; docs/security.md lists these programs.
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
  std::optional<Rule> rule;     // the rule that decided; absent if no rule decided
  std::optional<Rule> nearest;  // if no rule matched: the rule for this command that matches the most leading arguments
  std::string reason;  // why the outcome is so: `deny.cli "jq -r *", hello/BAND.md:9`; with control characters escaped

  // for_stderr() returns the line that the shim prints on stderr; "" if the command is allowed. for_ledger() returns
  // the text for the ledger. Secrets in `argv` must be masked before the call: these functions cut and quote arguments,
  // and a secret that was cut or quoted would not be recognised later.
  std::string for_stderr(const std::vector<std::string>& argv) const;
  std::string for_ledger(const std::vector<std::string>& argv) const;
};

// The maximum number of steps for comparing a command line with all rules for its command. They take about 0.3 s of the
// thread that serves the execution. A command line that would need more steps is denied. Only a command line with
// megabytes of arguments can need more steps, and only if a rule has a word like `*word*`, or `**` in the middle.
inline constexpr std::uint64_t kMostSteps = 1u << 27;

class CommandRules {
 public:
  // `plan` must be the result of plan_commands(cli).
  static Result<CommandRules> compile(const Domain& cli, const CommandPlan& plan);

  // `argv[0]` must be the file name of the shim that was started. Do not use the argv[0] that the script passed: the
  // script can choose any text for it. The arguments may have arbitrary bytes. Allowed: every layer of `cli.opened`
  // (Domain in rules.h) has a rule that matches, and no deny rule matches the command line or a shorter command line
  // with which it begins (`deny: git push` also denies `git push --force`). A shimmed essential is allowed also if no
  // rule matches. Undeclared: there is no shim for argv[0].
  Decision decide(const std::vector<std::string>& argv) const;
  // For a command that bash did not find in PATH: returns Undeclared with the reason.
  Decision not_found(const std::vector<std::string>& argv) const;

 private:
  using Parsed = ParsedRule<CliPattern>;
  using Layer = std::vector<Parsed>;
  struct Command {
    std::string word;  // the first word of the rules that allow the command; for an essential its name
    bool essential = false;
    Layer deny;
    std::vector<Layer> opened;
  };

  void explain_cut(const std::vector<Layer>& layers);
  static Decision judge(const Command& command, std::span<const std::string> arguments);
  Decision undeclared(std::string_view name) const;
  static std::uint64_t steps_of(const Command& command, std::span<const std::string> arguments);

  std::map<std::string, Command, std::less<>> commands_;  // name of the shim -> command
  // The commands that the first layer (the band's) allows and that a further layer does not allow. The value is the
  // reason, for messages.
  std::map<std::string, std::string, std::less<>> cut_;
};

}  // namespace band
