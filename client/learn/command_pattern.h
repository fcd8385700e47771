// Derives patterns of `cli` (the rules of a BAND.md about command lines) from the command lines that a script runs. A
// pattern must match these command lines, and as few others as possible. The command lines come from the ledger, the
// server's record of what a run did. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/learn/evidence.h"
#include "client/shell/reading.h"

namespace band::client::learn {

// The pattern of one argument: literal pieces, and between two pieces a `*`, which matches any characters. The pieces
// "--title=" and "" are the pattern `--title=*`.
struct PatternWord {
  std::vector<std::string> pieces{""};
  bool of_script = false;  // run.sh has this word as a literal, so it is the same in every run
  bool unknown = false;    // a `*` in it replaces text that the ledger does not show

  bool is_literal() const { return pieces.size() == 1; }
  bool is_any() const;  // true if it matches any argument
  bool operator==(const PatternWord& other) const { return pieces == other.pieces; }
};

struct CommandPattern {
  std::string command;
  std::vector<PatternWord> words;  // the arguments
  bool open_end = false;           // any further arguments may follow

  // Returns the pattern as it is written in BAND.md (syntax: CliPattern::parse). Unless `open_end` is set, the pattern
  // matches only command lines with words.size() arguments. In the syntax, a last word `*` matches any number of
  // arguments. Therefore a last word that matches any single argument is written `''*`.
  std::string text() const;
  bool has_star() const;
};

// A pattern that was derived from one command line of the ledger. The ledger shows a control character as `\n`, `\t`,
// `\r` or `\u001b`, but an argument that contains a backslash and these letters looks the same. It shows any invalid
// byte as U+FFFD, and a secret as a mask. The pattern has `*` in place of each of these, because the original text is
// not known.
struct Generalised {
  CommandPattern pattern;
  // Arguments in which an expansion in run.sh (`$NAME`, `$(...)`) has produced a text that contains no value of the
  // input. It is not known whether this text differs in other runs.
  std::vector<std::string> doubtful;
  // The first argument in which a `*` replaces text that the ledger does not show; "" when there is none. A line with
  // this pattern would allow any text there, and the script chooses this text.
  std::string unknown = {};
};
// Returns the pattern for the command line `argv`. `values`: the values of the input. A value that is only the default
// of the input's schema does not become `*`. `script`: what read_shell() found in run.sh.
// A command in the text of run.sh fits `argv` if it has the same number of words, and its literal words are at the same
// positions. If there is such a command, its literal words stay literal in the pattern. Within the text that an
// expansion produced, a value becomes `*` if it is the whole text, or if it has three or more characters. If there is
// no such command, leading words that run.sh contains literally stay literal. A first argument that looks like a
// subcommand (`issue`) also stays literal, so that one call does not allow all subcommands of a program. In all other
// words, a value becomes `*` if it is a whole word, if it follows the first `=`, or if it has three or more characters.
Generalised generalise(const std::vector<std::string>& argv, const std::vector<InputValue>& values,
                       const ShellReading& script);

// Returns one pattern that matches everything that `a` and `b` match. Such a pattern is returned in three cases, if
// both have the same command:
// - One of the two matches everything that the other matches. The result is this one.
// - They have the same number of words and differ in one word. The result has a `*` in this word.
// - The longer pattern is the shorter one with more words at its end. These words, and the last word of the shorter
//   pattern, match any argument. Example: from `add ''*` (one argument) and `add * ''*` (two arguments), the result is
//   `add *` (any arguments; open_end is true).
// Returns nullopt in all other cases. In the second case, also returns nullopt if one of these conditions is true:
// - Both different words are literals of run.sh.
// - One of them has a `*` beside other text, or looks like a subcommand.
// - One of them is an option; two options `--NAME=VALUE` with the same NAME are allowed.
std::optional<CommandPattern> merged(const CommandPattern& a, const CommandPattern& b);

}  // namespace band::client::learn
