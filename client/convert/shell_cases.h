// `case` and `getopts` in a shell script: the arms, and how their commands use an option. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/convert/argument.h"
#include "client/convert/shell_tokens.h"

namespace band::client {

inline constexpr std::size_t kMostShellArguments = 100;

struct ShellArm {
  std::vector<std::string> patterns;
  std::size_t begin = 0, end = 0;  // the tokens of its commands
  int line = 0, column = 0;
};
struct ShellCase {
  std::string subject;
  std::vector<ShellArm> arms;
  std::size_t end = 0;
};

bool begins_command(const std::vector<ShellToken>& tokens, std::size_t at);
// Reads the `case` whose keyword is the token `at`.
ShellCase read_case(const std::vector<ShellToken>& tokens, std::size_t at);

// Returns the name of a word `NAME=value`, or "".
std::string assigned_name(const std::string& raw, std::size_t& equals);
// Returns the name to which the arm's commands assign the value: "count" for `count=$OPTARG`.
std::string name_in(const std::vector<ShellToken>& tokens, const ShellArm& arm);
// Returns true for an arm that only prints help: `-h) usage; exit 0 ;;`
bool is_help(const std::vector<ShellToken>& tokens, const ShellArm& arm);
// Returns true for an arm that appends the value: `files+=("$OPTARG")`
bool appends(const std::vector<ShellToken>& tokens, const ShellArm& arm);
// Returns true for an arm that uses the word after the option: `$2`, or `$1` after a `shift`.
bool takes_value(const std::vector<ShellToken>& tokens, const ShellArm& arm);

// Returns true for an arm that consumes a varying number of words after the option: `shift` in a loop, `"$@"`, $OPTIND.
bool takes_words_behind(const std::vector<ShellToken>& tokens, const ShellArm& arm);

// `letters`: the option string of `getopts`; `found`: its `case`. Returns at most kMostShellArguments.
std::vector<Argument> getopts_arguments(const std::vector<ShellToken>& tokens, const std::string& letters,
                                        const ShellCase& found);

}  // namespace band::client
