// From command lines that a script asked for to the pattern of `cli` that opens them, and as little else as can be.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/learn/evidence.h"
#include "client/shell/reading.h"

namespace band::client::learn {

// One argument: literal pieces with any characters between them.
struct PatternWord {
  std::vector<std::string> pieces{""};
  bool of_script = false;  // run.sh writes it so: no other run of this line has another word here
  bool unknown = false;    // a `*` of it stands for what the ledger does not show

  bool is_literal() const { return pieces.size() == 1; }
  bool is_any() const;  // any one argument
  bool operator==(const PatternWord& other) const { return pieces == other.pieces; }
};

struct CommandPattern {
  std::string command;
  std::vector<PatternWord> words;  // behind the command
  bool open_end = false;           // and any further arguments

  // As BAND.md has it: CliPattern::parse reads it, and it matches these arguments in this number. `''*` stands for a
  // last word that is any argument, because a last `*` would be any number of them.
  std::string text() const;
  bool has_star() const;
};

// What the ledger knows of the arguments is `escaped`: of `\n`, `\t`, `\r` and `\u001b` in them it is not known whether
// a control character or the two characters were there, and of U+FFFD not which byte. `*` stands in their place, as
// for a masked secret.
struct Generalised {
  CommandPattern pattern;
  std::vector<std::string>
      doubtful;  // words that run.sh makes of an expansion, and that no value of the input explains
  // The first word with a `*` for what the ledger does not show, where the caller's input does not have it either: the
  // script can choose that text, and the `*` opens any. "" when there is none.
  std::string unknown = {};
};
// In the order of what counts: a word that run.sh writes without an expansion stays; in one with expansions they become
// `*` where they are, or contain, a value of the input; without such a line in run.sh a word that is a value becomes
// `*`, as does a value behind a `=`, and one of three characters and more inside of a word. A first argument that looks
// like a subcommand (`issue`) stays, so that one call never opens all of a program.
Generalised generalise(const std::vector<std::string>& argv, const std::vector<InputValue>& values,
                       const ShellReading& script);

// One pattern for both, where one covers the other, where they differ in a single word, or where one has more words
// that are any argument. Not for words that are options, that look like subcommands, or that run.sh writes so.
std::optional<CommandPattern> merged(const CommandPattern& a, const CommandPattern& b);

}  // namespace band::client::learn
