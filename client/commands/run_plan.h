// The plan of a run: everything that `band run` decides before it sends a request. `--dry-run` prints the plan.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/skills/configuration.h"
#include "client/skills/secrets.h"
#include "client/skills/skills.h"
#include "client/terminal/command_line.h"
#include "client/workspace/workspace.h"
#include "schemas/core/json_value.h"

namespace band::client {

struct RunPlan {
  // Its rules contain the paths of the input in place of placeholders such as `{path}` (schemas/rules/placeholders.h).
  Script script;
  JsonValue input;  // checked against the schema, with the schema's defaults
  JsonValue given;  // the input without the schema's defaults
  // The paths of the input that were not written relative to the workspace, and the relative paths that are in `input`
  // instead of them.
  std::vector<std::pair<std::string, std::string>> made_relative;
  Configuration configuration;
  EffectiveLimits limits;
  ResolvedEnv env;
  std::optional<Tree> workspace;  // set if the band has patterns for the workspace, or --workspace is given
  ShipPlan shipment;              // the files of the workspace that are sent
  // Existing files of the workspace that `write` allows and that are not sent (with --dry-run all of them). If the
  // script changes one, the run fails.
  Unshipped unshipped;
  std::string target;           // the target's name
  bool standard_input = false;  // the script gets this process's standard input, or standard_input_text if it is set
  std::optional<std::string> standard_input_text;
  std::optional<std::string> keep_partial;  // the directory of --keep-partial, as the command line names it
  bool replaces = false;                    // BackTerms::replaces_unsent
  std::vector<std::string> command;         // the words of `band exec`; empty for a script of a skill
  bool by_call = false;                     // `band call`: it accepts fewer workspaces, and keeps executable files
  bool raw_logs = false;                    // copied to ExecRequest
  std::optional<TerminalRequest> terminal;  // copied to ExecRequest
  bool failures_write = false;              // write files back also if the exit status of the command is not 0
};

// Values that the caller of plan_run() passes. plan_run() uses them in place of values that it would look up on this
// machine.
struct CallerValues {
  std::map<std::string, std::string> variables;  // in place of --env-file, the environment, ~/.config/band/env
  JsonValue configuration;                       // in place of ~/.config/band/skills/SKILL.yaml; null: none
  std::string source;  // the FILE:LINE that contains these values, for messages: "hello/tests/greet.yaml:4"
};

// Makes the plan. Checks in this order: the target's name and kind, the input against its schema, the configuration,
// the variables, the size of the request, the workspace (for `band call` also check_call_workspace()). With --dry-run,
// a missing variable is not an error. Reads the file or the standard input that --input names. Reads no content of
// files in the workspace, and sends nothing. `values`: null if all values are looked up on this machine.
Result<RunPlan> plan_run(const CommandLine& line, const Script& script, const CallerValues* values = nullptr);

// Returns success when the band may run on the target `target`. Error (Code::Usage): the band has `execution.targets`,
// and this list does not contain the kind of `target` (kind_of()). `script`: the script's name for the message.
Status check_place(const BandFile& band, const std::string& target, const std::string& script);
// Returns the input: --input and the parameters, with the schema's defaults added, and checked against the schema.
Result<JsonValue> input_of(const CommandLine& line, const Script& script, const EffectiveLimits& limits);

// Returns the request of a plan, still without the files of the workspace.
ExecRequest request_of(const RunPlan& plan);

// A pattern of `read` or `write` that is an absolute path. The pattern stands for files of the server's machine, which
// the server mounts into the sandbox. `access`: "read" or "write".
struct PlannedMount {
  std::string pattern, access, origin;
  bool optional = false;
};
std::vector<PlannedMount> planned_mounts(const Rules& rules);

JsonValue plan_to_json(const RunPlan& plan);
// `most`: the maximum number of files that the text shows of each list of files. If a list has more files, a further
// line states how many files are not shown, and which option shows them.
inline constexpr std::size_t kAllFiles = ~std::size_t{0}, kExplainedFiles = 20;
std::string plan_to_text(const RunPlan& plan, std::size_t most = kAllFiles);
// Returns a number of milliseconds as a text: "0.4", "27".
std::string ms_text(double ms);
// Returns one line for each entry. Of the entries about files, the text has only the first `most` entries of each kind.
std::string ledger_to_text(const std::vector<LedgerEntry>& ledger, std::size_t most);

}  // namespace band::client
