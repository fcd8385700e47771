// Derives patterns of `cli` from the command lines that a script runs. A pattern must match these command lines, and as
// few others as possible. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/learn/evidence.h"
#include "client/shell/reading.h"

namespace band::client::learn {

// The pattern of one argument: literal pieces, with any characters (`*`) between two pieces.
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

  // Returns the pattern as it is written in BAND.md (syntax: CliPattern::parse). Unless `open_end` is set, the
  // pattern matches only command lines with words.size() arguments. Therefore a last word that matches any argument is
  // written `''*`: a last `*` would match any number of arguments.
  std::string text() const;
  bool has_star() const;
};

// A pattern that was derived from one command line in the ledger. The ledger contains arguments in escaped form.
// Therefore `\n`, `\t`, `\r` and `\u001b` in an argument may stand for a control character or for exactly these
// characters, and U+FFFD for any invalid byte. The pattern has `*` in place of each of these, and in place of a masked
// secret.
struct Generalised {
  CommandPattern pattern;
  // Words that run.sh makes from an expansion and that contain no value of the input.
  std::vector<std::string> doubtful;
  // The first word in which a `*` replaces text that is neither in the ledger nor in the caller's input; "" when there
  // is none. A line with this pattern would allow any text there, and the script chooses this text.
  std::string unknown = {};
};
// Returns the pattern for the command line `argv`. `values`: the values of the input. If run.sh has a matching line,
// each expansion of this line whose text contains a value of the input becomes `*`, and the rest is kept. If run.sh has
// no matching line: a value becomes `*` where it is a whole word, follows a `=`, or is inside of a word and has three
// or more characters. A first argument that looks like a subcommand (`issue`) is always kept, so that one call never
// allows all subcommands of a program.
Generalised generalise(const std::vector<std::string>& argv, const std::vector<InputValue>& values,
                       const ShellReading& script);

// Returns one pattern that matches what `a` and `b` match, in three cases: one of them covers the other; they differ in
// a single word; or the longer one begins with all words of the shorter one, and the last word of the shorter one and
// the additional words match any argument (the result then has an open end). Returns nullopt in all other cases, and
// when the words that differ are options, subcommands, or literals of run.sh.
std::optional<CommandPattern> merged(const CommandPattern& a, const CommandPattern& b);

}  // namespace band::client::learn
