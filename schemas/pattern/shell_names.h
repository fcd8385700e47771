// The names of bash's builtins and keywords (bash 5.2: `compgen -b`, `compgen -k`). A test compares them with the bash
// of this machine.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace band {

// No essential (schemas/programs/essentials.h) has one of these names. A cli rule for one of them is refused
// (check_command()): bash interprets such a name itself, so the rule would not be applied.
inline constexpr std::string_view kShellOwnNames[] = {
    ".", ":", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen", "complete", "compopt",
    "continue", "declare", "dirs", "disown", "enable", "eval", "exec", "exit", "export", "fc", "fg", "getopts", "hash",
    "help", "history", "jobs", "kill", "let", "local", "logout", "mapfile", "popd", "pushd", "read", "readarray",
    "readonly", "return", "set", "shift", "shopt", "source", "suspend", "times", "trap", "type", "typeset", "ulimit",
    "umask", "unalias", "unset", "wait",
    // Keywords. `time` is not in the list: a band can declare the program `time`, which `env time` and `\time` start.
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "until", "while", "{", "}"};

// Builtins whose names are also names of essentials. After `enable -n NAME`, bash starts the essential instead of the
// builtin.
inline constexpr std::string_view kShellAlsoNames[] = {"[", "echo", "false", "printf", "pwd", "test", "true"};

inline bool is_shell_own(std::string_view name) {
  return std::find(std::begin(kShellOwnNames), std::end(kShellOwnNames), name) != std::end(kShellOwnNames);
}
inline bool is_shell_also(std::string_view name) {
  return std::find(std::begin(kShellAlsoNames), std::end(kShellAlsoNames), name) != std::end(kShellAlsoNames);
}
// The shells that run scripts. A rule for a shell does not restrict the commands that its script starts.
inline bool is_shell(std::string_view name) { return name == "bash" || name == "sh"; }

}  // namespace band
