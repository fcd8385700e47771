// Words of the command line, sorted: band's own flags, and the words that a script's schema has to explain. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/terminal/terminal.h"
#include "schemas/core/result.h"

namespace band::client {

struct CommandLine {
  std::string verb;                    // "run"; empty: `band` alone or `band --help`
  std::vector<std::string> arguments;  // words that are no flags, in order
  // Of a verb that takes a script: every word that is not band's own, in order ("--name", "World", "--tags=a"); see
  // parameters.h.
  std::vector<std::string> parameters;

  std::optional<std::string> input, workspace, env_file, target, keep_partial;
  std::vector<std::string> skills;
  bool standard_input = false;  // --stdin
  bool token_stdin = false;     // of `target add`

  // `setup` of a virtual machine.
  std::optional<std::string> name, cpus, memory, disk, drain;
  std::vector<std::string> with;
  bool force = false;

  // `install-skills` only.
  std::optional<std::string> to;
  bool remove = false;

  // `convert` only.
  std::optional<std::string> output;

  // `exec` only: a command with its arguments, and what it may do.
  std::vector<std::string> command, cli, net, read, write, env, limits;
  std::optional<std::string> band;
  bool tty = false, write_back = false;  // of `shell`: write_back

  bool json = false, dry_run = false, explain = false, purge = false, help = false, version = false;
  Verbosity verbosity = Verbosity::Normal;
};

// `words` without the program's name. Errors (Code::Usage): an unknown verb or flag with the nearest ones, a flag
// without its value or given twice, a flag that the verb does not have.
Result<CommandLine> parse_command_line(const std::vector<std::string>& words);

// The verbs with a line about each, in the order of `band --help`.
struct VerbInfo {
  std::string_view name, arguments, about;
  std::vector<std::string_view> flags;
};
const std::vector<VerbInfo>& verbs();
struct FlagInfo {
  std::string_view name, value, about;  // `value` is empty for a flag that takes none
};
const std::vector<FlagInfo>& flags();
bool takes_script(std::string_view verb);                  // and its parameters
std::vector<std::string> flags_of(std::string_view verb);  // their names, --help's included
// Flags of `band run` that `text` names (`--env-file`) and this verb lacks; each once. A flag of another command, as in
// `band setup --target x`, is not one.
std::vector<std::string> lacking_flags(std::string_view verb, std::string_view text);

}  // namespace band::client
