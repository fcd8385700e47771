// Finds the commands, redirections and variables in the text of a bash script, without running the script. Pure.
//
// This is not a shell: it expands nothing, reads no sourced file, and finds the commands of all branches. Names that
// the script computes are not found. If bash could not parse the text, it is read as far as possible. The time is
// linear in the size of the text.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace band::client {

struct ShellWord {
  std::string text;          // the word without quotes and backslashes; expansions are unchanged: `$HOME/x`, `$(date)`
  bool literal = true;       // the word has no expansion and no unquoted glob, so the command receives exactly `text`
  int line = 0, column = 0;  // from 1; columns in bytes
};

// A simple command. Reserved words (`if`, `while`, `!`, `time` ...) are not commands.
struct ShellCommand {
  std::vector<ShellWord> words;        // at least one; the first is the command's name
  std::vector<ShellWord> assignments;  // before the name: `TITLE=x`
};

struct ShellRedirection {
  std::string operation;  // "<", ">", ">>", ">|", "<>", "&>", "&>>"; without the number in `2>`
  ShellWord target;
};

struct ShellVariable {
  std::string name;
  // `${NAME:-x}`, `${NAME-x}`, `${NAME:=x}`, `${NAME:+x}` and similar: the variable may be unset.
  bool has_default = false;
  int line = 0, column = 0;
};

struct ShellReading {
  // All lists are in the order of the text. They include what is inside of functions, `$(...)`, backquotes and
  // `<(...)`.
  std::vector<ShellCommand> commands;
  std::vector<ShellRedirection> redirections;
  std::vector<ShellWord> loop_words;  // after `for NAME in` and `select NAME in`
  std::vector<ShellWord> conditions;  // words and operators between `[[` and `]]`
  std::vector<ShellVariable> uses;    // `$NAME`, `${NAME...}`, also in double quotes, arithmetic and here-documents
  // Names to which the script assigns: by NAME=..., `for NAME`, `read`, `mapfile`, `printf -v`, `getopts`, `declare`,
  // `local`, `export`, `readonly`, `let`, `((NAME = ...))`.
  std::set<std::string> assigned;
  std::set<std::string> functions;
  // The text has an `eval`, `source` or `.`, which may assign names and run commands that are not listed here.
  bool is_open_ended = false;
};

ShellReading read_shell(std::string_view text);

}  // namespace band::client
