// Derives from the command lines of a script the pattern of `cli` that opens them and as little else as possible. Pure.
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
  bool of_script = false;  // a literal word of run.sh: every run of this line has the same word here
  bool unknown = false;    // one of its `*` replaces text that the ledger does not show

  bool is_literal() const { return pieces.size() == 1; }
  bool is_any() const;  // matches any one argument
  bool operator==(const PatternWord& other) const { return pieces == other.pieces; }
};

struct CommandPattern {
  std::string command;
  std::vector<PatternWord> words;  // the arguments
  bool open_end = false;           // any further arguments may follow

  // Returns the pattern for BAND.md, in the syntax of CliPattern::parse. It matches exactly this number of arguments: a
  // last word that matches any argument is written `''*`, because a last `*` would match any number of arguments.
  std::string text() const;
  bool has_star() const;
};

// The ledger has arguments `escaped`: `\n`, `\t`, `\r` and `\u001b` may be a control character or these very
// characters, and U+FFFD may be any invalid byte. The pattern has `*` in their place, as for a masked secret.
struct Generalised {
  CommandPattern pattern;
  std::vector<std::string> doubtful;  // words that run.sh makes from an expansion and that have no value of the input
  // The first word with a `*` for text that neither the ledger nor the caller's input has; "" when there is none. The
  // script can choose that text, and the `*` opens any.
  std::string unknown = {};
};
// Rules, by precedence: a word that run.sh writes without an expansion stays; in a word with expansions, an expansion
// that is or contains a value of the input becomes `*`; without a matching line in run.sh, a word that is a value
// becomes `*`, as does a value after a `=` and a value of three or more characters inside of a word. A first argument
// that looks like a subcommand (`issue`) stays, so that one call never opens a whole program.
Generalised generalise(const std::vector<std::string>& argv, const std::vector<InputValue>& values,
                       const ShellReading& script);

// Returns one pattern for both when one covers the other, when they differ in a single word, or when one has additional
// words that match any argument; else nullopt. Never merges options, subcommands, or literal words of run.sh.
std::optional<CommandPattern> merged(const CommandPattern& a, const CommandPattern& b);

}  // namespace band::client::learn
