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

  // `learn` only; it has its inputs in place of `input`.
  std::vector<std::string> inputs;
  std::optional<std::string> runs;
  bool apply = false;

  // `install-skills` only.
  std::optional<std::string> to;
  bool remove = false;

  // `test` only.
  std::optional<std::string> filter, jobs, junit;
  // `convert` only.
  std::optional<std::string> output;

  // `exec` only: a command with its arguments, and what it may do.
  std::vector<std::string> command, cli, net, read, write, env, limits;
  std::optional<std::string> band;
  bool tty = false, write_back = false;  // of `shell`: write_back

  // `why` only; the command line that it is asked about is `command`, paths and hosts are `read`, `write` and `net`.
  bool offline = false;

  bool json = false, dry_run = false, explain = false, purge = false, help = false, version = false;
  Verbosity verbosity = Verbosity::Normal;
};

// `words` without the program's name. Errors (Code::Usage): an unknown verb or flag with the nearest ones, a flag
// without its value or given twice, a flag that the verb does not have.
Result<CommandLine> parse_command_line(const std::vector<std::string>& words);
// The value of a flag that takes a whole number. `unit`: "GiB"; empty: it has none.
Result<int> number_of_flag(std::string_view flag, std::string_view given, int least, int most,
                           std::string_view unit = "");
bool can_repeat(std::string_view verb, std::string_view flag);

}  // namespace band::client
