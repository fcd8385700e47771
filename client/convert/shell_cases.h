// `case` and `getopts` in a shell script: the arms, and what their commands do with an option. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/convert/argument.h"
#include "client/convert/shell_tokens.h"

namespace band::client {

inline constexpr std::size_t kMostShellArguments = 100;

struct ShellArm {
  std::vector<std::string> patterns;
  std::size_t begin = 0, end = 0;  // of its commands
  int line = 0, column = 0;
};
struct ShellCase {
  std::string subject;
  std::vector<ShellArm> arms;
  std::size_t end = 0;
};

bool begins_command(const std::vector<ShellToken>& tokens, std::size_t at);
// The `case` whose word is the token `at`.
ShellCase read_case(const std::vector<ShellToken>& tokens, std::size_t at);

// `NAME=value` of a word: the name, or "".
std::string assigned_name(const std::string& raw, std::size_t& equals);
// The name that the arm's commands give to the value: `count=$OPTARG`.
std::string name_in(const std::vector<ShellToken>& tokens, const ShellArm& arm);
// An arm that only prints: `-h) usage; exit 0 ;;`
bool is_help(const std::vector<ShellToken>& tokens, const ShellArm& arm);
// `files+=("$OPTARG")`
bool appends(const std::vector<ShellToken>& tokens, const ShellArm& arm);
// The commands of an arm that uses the word behind the option: `$2`, or `$1` behind a `shift`.
bool takes_value(const std::vector<ShellToken>& tokens, const ShellArm& arm);

// An arm that takes words from behind the option until something ends them: a `shift` in a loop, `"$@"`, $OPTIND.
bool takes_words_behind(const std::vector<ShellToken>& tokens, const ShellArm& arm);

// `letters` are those of `getopts`; `found` has its arms. At most kMostShellArguments.
std::vector<Argument> getopts_arguments(const std::vector<ShellToken>& tokens, const std::string& letters,
                                        const ShellCase& found);

}  // namespace band::client
