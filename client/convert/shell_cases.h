// Reads `case` and `getopts` in a shell script: the arms of a `case` (`PATTERN) COMMANDS ;;`), and how their commands
// use an option. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/convert/argument.h"
#include "client/convert/shell_tokens.h"

namespace band::client {

inline constexpr std::size_t kMostShellArguments = 100;

struct ShellArm {
  std::vector<std::string> patterns;
  std::size_t begin = 0, end = 0;  // the tokens of the arm's commands, from `begin` to before `end`
  int line = 0, column = 0;
};
struct ShellCase {
  std::string subject;  // the word after `case`
  std::vector<ShellArm> arms;
  std::size_t end = 0;  // the index of the token after `esac`
};

// Returns whether a command can begin with the token `at`: it is the first token, or the token before it ends a command
// or is a keyword such as `then`.
bool begins_command(const std::vector<ShellToken>& tokens, std::size_t at);
// Reads the `case` whose keyword is the token `at`.
ShellCase read_case(const std::vector<ShellToken>& tokens, std::size_t at);

// Returns NAME for a word `NAME=value` and sets `equals` to the offset of the `=`; returns "" for any other word.
std::string assigned_name(const std::string& raw, std::size_t& equals);
// Returns the variable to which the arm's commands assign the option's value: "count" for `count=$OPTARG`.
std::string name_in(const std::vector<ShellToken>& tokens, const ShellArm& arm);
// Returns true for an arm that only prints help: `-h) usage; exit 0 ;;`
bool is_help(const std::vector<ShellToken>& tokens, const ShellArm& arm);
// Returns true for an arm that appends the option's value to a list: `files+=("$OPTARG")`
bool appends(const std::vector<ShellToken>& tokens, const ShellArm& arm);
// Returns true for an arm that uses the word after the option: `$2`, or `$1` after a `shift`.
bool takes_value(const std::vector<ShellToken>& tokens, const ShellArm& arm);

// Returns true for an arm that consumes a varying number of words after the option: `shift` in a loop, `"$@"`, $OPTIND.
bool takes_words_behind(const std::vector<ShellToken>& tokens, const ShellArm& arm);

// Returns at most kMostShellArguments arguments. `letters`: the option string of `getopts`; `found`: the `case` that
// handles these options.
std::vector<Argument> getopts_arguments(const std::vector<ShellToken>& tokens, const std::string& letters,
                                        const ShellCase& found);

}  // namespace band::client
