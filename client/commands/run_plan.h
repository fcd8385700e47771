// Everything that `band run` decides before anything is sent; what `--dry-run` shows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/skills/configuration.h"
#include "client/skills/secrets.h"
#include "client/skills/skills.h"
#include "client/terminal/command_line.h"
#include "client/workspace/workspace.h"
#include "schemas/core/json_value.h"

namespace band::client {

struct RunPlan {
  Script script;  // its rules with what the input names (schemas/rules/placeholders.h)
  JsonValue input;
  JsonValue given;  // the input without the schema's defaults
  Configuration configuration;
  EffectiveLimits limits;
  ResolvedEnv env;
  std::optional<Tree> workspace;  // when the band reads or writes relative paths, or --workspace is given
  ShipPlan shipment;
  Unshipped unshipped;  // what a script that writes it cannot bring back
  std::string target;
  bool standard_input = false;
  std::optional<std::string> standard_input_text;  // in place of this process's
  std::optional<std::string> keep_partial;         // a directory, as the command line names it
  bool raw_logs = false;                           // this and `terminal` as ExecRequest has them
  std::optional<TerminalRequest> terminal;
  bool failures_write = false;  // files come back however the command ends
};

// What plan_run() does not look up on the caller's machine, because somebody gives it.
struct CallerValues {
  std::map<std::string, std::string> variables;  // in place of --env-file, the environment, ~/.config/band/env
  JsonValue configuration;                       // in place of ~/.config/band/skills/SKILL.yaml; null: none
  std::string source;                            // where both are written, for messages: "hello/tests/greet.yaml:4"
};

// In order: the skill, its band, the input against its schema, the variables, the workspace, the size of it all. A dry
// run goes on when a variable is missing. No file of the workspace is read, and nothing is sent.
Result<RunPlan> plan_run(const CommandLine& line, const Script& script, const CallerValues* values = nullptr);

// May the script run on this target (execution.targets)? Error: Code::Usage.
Status check_place(const BandFile& band, const std::string& target, const std::string& script);
// The input: --input and the parameters, with the schema's defaults, checked against it.
Result<JsonValue> input_of(const CommandLine& line, const Script& script, const EffectiveLimits& limits);

// What is sent, but for the files of the workspace.
ExecRequest request_of(const RunPlan& plan);
std::string text_of(const ExecRequest& request);  // as it travels; it has the secrets

// Absolute paths that would be mounted: pattern, access, origin.
struct PlannedMount {
  std::string pattern, access, origin;
  bool optional = false;
};
std::vector<PlannedMount> planned_mounts(const Rules& rules);

JsonValue plan_to_json(const RunPlan& plan);
// `most`: of a list of files, how many are shown; a line says how many more there are, and what lists them.
inline constexpr std::size_t kAllFiles = ~std::size_t{0}, kExplainedFiles = 20;
std::string plan_to_text(const RunPlan& plan, std::size_t most = kAllFiles);
// Milliseconds: "0.4", "27".
std::string ms_text(double ms);
// A line an entry; of those about files, kind by kind, only the first `most`.
std::string ledger_to_text(const std::vector<LedgerEntry>& ledger, std::size_t most);

}  // namespace band::client
