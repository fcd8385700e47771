// Separates a command line into band's own flags and the words that set parameters of a script. Pure.
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
  std::vector<std::string> arguments;  // words that are not flags, in order
  // For a verb that has a script as its argument: the words that set parameters of the script, in order ("--name",
  // "World", "--tags=a"). These are all words except the verb, the script's name, and band's flags with their values.
  // The script's name must precede the first parameter. client/skills/parameters.h parses the parameters.
  std::vector<std::string> parameters;

  std::optional<std::string> input, workspace, env_file, target, keep_partial, log;
  std::vector<std::string> skills;
  bool standard_input = false;  // --stdin
  bool token_stdin = false;     // for `target add`

  // Flags of `setup` of a virtual machine.
  std::optional<std::string> name, cpus, memory, disk, drain;
  std::vector<std::string> with;
  bool force = false;

  // For `learn` only. `learn` uses `inputs` instead of `input`.
  std::vector<std::string> inputs;
  std::optional<std::string> runs;
  bool apply = false;

  // For `install-skills` only.
  std::optional<std::string> to;
  bool remove = false;

  // For `test` only.
  std::optional<std::string> filter, jobs, junit;
  // For `convert` only.
  std::optional<std::string> output;

  // For `exec`: a command with its arguments, and the rules for the run. `why` uses some of these members (below).
  std::vector<std::string> command, cli, net, read, write, env, limits;
  std::optional<std::string> band;
  bool tty = false, write_back = false;  // `shell` also uses write_back
  bool replace = false;

  // For `why` only. The command line that `why` judges is in `command` (above); the paths and hosts that it judges are
  // in `read`, `write` and `net`.
  bool offline = false;  // do not query a server for the operator's ceiling

  bool json = false, dry_run = false, explain = false, purge = false, help = false, version = false;
  Verbosity verbosity = Verbosity::Normal;
};

// `words`: without the program's name. Errors (Code::Usage): an unknown verb or flag (the error names similar ones); a
// flag without its value; a second value for a flag that accepts only one; a flag or an argument that the verb does not
// have.
Result<CommandLine> parse_command_line(const std::vector<std::string>& words);
// Parses the value of a flag as a whole number from `least` to `most`. `flag`: the name without `--`. `unit`: for
// messages ("GiB"); may be empty. Error: Code::Usage.
Result<int> number_of_flag(std::string_view flag, std::string_view given, int least, int most,
                           std::string_view unit = "");
// Returns whether `flag` (the name without `--`) can be given several times, each time with another value.
bool can_repeat(std::string_view verb, std::string_view flag);

}  // namespace band::client
