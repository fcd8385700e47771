// What the text of a bash script names, read without running it. Pure.
//
// A reader of words, not a shell: nothing is expanded, no branch is followed and no file is sourced. A name that the
// script makes at run time is not found. Text that bash could not parse is read as far as it goes. Linear in the size
// of the text.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace band::client {

struct ShellWord {
  std::string text;          // without quotes and backslashes; expansions as they are written: `$HOME/x`, `$(date)`
  bool literal = true;       // no expansion and no unquoted glob is in it: `text` is what the command gets
  int line = 0, column = 0;  // from 1; columns in bytes
};

// A simple command. Reserved words (`if`, `while`, `!`, `time` ...) are not commands.
struct ShellCommand {
  std::vector<ShellWord> words;        // at least one; the first names the command
  std::vector<ShellWord> assignments;  // in front of it: `TITLE=x`
};

struct ShellRedirection {
  std::string operation;  // "<", ">", ">>", ">|", "<>", "&>", "&>>"; without the descriptor in front
  ShellWord target;
};

struct ShellVariable {
  std::string name;
  bool has_default = false;  // `${NAME:-x}`, `${NAME-x}`, `${NAME:=x}`, `${NAME:+x}` and their like: it may be unset
  int line = 0, column = 0;
};

struct ShellReading {
  // In the order of the text; those inside of functions, `$(...)`, backquotes and `<(...)`, too.
  std::vector<ShellCommand> commands;
  std::vector<ShellRedirection> redirections;
  std::vector<ShellWord> loop_words;  // behind `for NAME in` and `select NAME in`
  std::vector<ShellVariable> uses;    // `$NAME`, `${NAME...}`, also in double quotes, arithmetic and here-documents
  // Names that get a value somewhere: NAME=..., `for NAME`, `read`, `mapfile`, `printf -v`, `getopts`, `declare`,
  // `local`, `export`, `readonly`, `let`, `((NAME = ...))`.
  std::set<std::string> assigned;
  std::set<std::string> functions;
  // There is an `eval`, or a `source` or `.`: names can get values, and commands can be run, that are not listed here.
  bool is_open_ended = false;
};

ShellReading read_shell(std::string_view text);

}  // namespace band::client
