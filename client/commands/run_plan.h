// Everything that `band run` decides before it sends anything. `--dry-run` prints it.
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
  Script script;  // placeholders in its rules are replaced by the input's paths (schemas/rules/placeholders.h)
  JsonValue input;
  JsonValue given;  // the input without the schema's defaults
  Configuration configuration;
  EffectiveLimits limits;
  ResolvedEnv env;
  std::optional<Tree> workspace;  // when the band reads or writes relative paths, or --workspace is given
  ShipPlan shipment;
  Unshipped unshipped;  // files that are not shipped and that the script may write: writing one fails the run
  std::string target;
  bool standard_input = false;
  std::optional<std::string> standard_input_text;  // used in place of this process's standard input
  std::optional<std::string> keep_partial;         // a directory, as the command line names it
  bool raw_logs = false;                           // copied to ExecRequest, as is `terminal`
  std::optional<TerminalRequest> terminal;
  bool failures_write = false;  // files are written back for every exit status of the command
};

// Values that the caller of plan_run() gives, so that they are not looked up on this machine.
struct CallerValues {
  std::map<std::string, std::string> variables;  // in place of --env-file, the environment, ~/.config/band/env
  JsonValue configuration;                       // in place of ~/.config/band/skills/SKILL.yaml; null: none
  std::string source;                            // the place of both, for messages: "hello/tests/greet.yaml:4"
};

// Checks in this order: target, input against its schema, configuration, variables, size, workspace. A dry run
// continues when a variable is missing. Reads no file of the workspace and sends nothing.
Result<RunPlan> plan_run(const CommandLine& line, const Script& script, const CallerValues* values = nullptr);

// Error (Code::Usage): execution.targets of the band does not contain this target.
Status check_place(const BandFile& band, const std::string& target, const std::string& script);
// Returns the input: --input and the parameters, completed with the schema's defaults and checked against the schema.
Result<JsonValue> input_of(const CommandLine& line, const Script& script, const EffectiveLimits& limits);

// The request without the files of the workspace.
ExecRequest request_of(const RunPlan& plan);
std::string text_of(const ExecRequest& request);  // JSON as it is sent; contains the secrets

// An absolute path that would be mounted.
struct PlannedMount {
  std::string pattern, access, origin;
  bool optional = false;
};
std::vector<PlannedMount> planned_mounts(const Rules& rules);

JsonValue plan_to_json(const RunPlan& plan);
// `most`: the number of files shown of each list; a line has the number of the others and the option that lists them.
inline constexpr std::size_t kAllFiles = ~std::size_t{0}, kExplainedFiles = 20;
std::string plan_to_text(const RunPlan& plan, std::size_t most = kAllFiles);
// Milliseconds: "0.4", "27".
std::string ms_text(double ms);
// One line for each entry; of the entries about files only the first `most` of each kind.
std::string ledger_to_text(const std::vector<LedgerEntry>& ledger, std::size_t most);

}  // namespace band::client
