// The line to write in a BAND.md so that the rules allow an action that they do not allow now. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "client/answers/question.h"
#include "schemas/band/band.h"
#include "schemas/rules/rules.h"

namespace band::client {

struct Remedy {
  std::string file;     // "github/BAND.md"
  std::string key;      // "cli", below `allow`
  std::string pattern;  // allows the requested command line, file or host and nothing else; "" if no rule can do this
  std::string wider;    // also allows similar actions; "" if there is no proposal. `pattern`, `wider` or both are set
  // The keys `allow.KEY` and `allow` in the file; line 0 if the key is missing, and always for a file other than that
  // of the script's band. YAML forbids a second key of the same name, so the pattern is added to an existing key.
  KeyPlace list = {}, allow = {};
  bool one = false;  // the value of `allow.KEY` is a map with the key `path`, in place of a list

  std::string yaml(const std::string& pattern) const;  // allow: {cli: ["gh repo delete x"]}
  // "in x/BAND.md"; "in x/BAND.md, below allow (line 2)"; "in x/BAND.md, before the } of allow (line 2)"; "in
  // x/BAND.md, below allow.cli (line 3)"; "in x/BAND.md, to allow.cli (line 3)" for a list in brackets.
  std::string place() const;
  // Returns what to write at these places, in the same order: yaml(pattern); `cli: ["gh repo delete x"]`; `, cli: ["gh
  // repo delete x"]`; `- "gh repo delete x"`; `"gh repo delete x"`.
  std::string text(const std::string& pattern) const;
  // "write in x/BAND.md:  allow: {cli: [\"gh repo delete x\"]}"; one line, escaped.
  std::string instruction(const std::string& pattern) const;
  // instruction(pattern). If `pattern` is empty: instruction(wider), marked as wider than requested.
  std::string instruction() const;
  // Returns whether both instructions write the same key, which can be written only once.
  bool writes_key_of(const Remedy& other) const;
};

// One pattern for the place of one remedy.
struct RemedyLine {
  Remedy remedy;
  std::string pattern;
  bool optional = false;  // `{path: "./x", optional: true}` in place of `"./x"`: a run without this file has no note
};
// Returns one instruction for all lines, which write the same key: writes_key_of(), or one list of one file.
std::string joined_instruction(const std::vector<RemedyLine>& lines);

// Returns a pattern that matches only this command line. Returns nullopt if a word is not UTF-8, or if the pattern
// would exceed the maximum length of a pattern.
std::optional<std::string> cli_pattern(const std::vector<std::string>& argv);
// Returns why cli_pattern() returns nullopt, as a sentence; "" if cli_pattern() returns a pattern.
std::string why_no_cli_pattern(const std::vector<std::string>& argv);
// Returns whether a band can declare the command `argv[0]`, that is, name it in a rule of `cli`.
bool can_be_declared(const std::vector<std::string>& argv);

// Returns one remedy for each BAND.md that needs a line so that the rules allow the action: the file of the script's
// band, or the file of a band that this band extends. Returns an empty list if no pattern can name the action.
// `layers`: the indices of the layers of `domain` that do not allow the action. A layer is the list of allow and insist
// rules of one band. If the domain has no layers, `layers` is empty, and the script's band and all bands in its
// `extends` get a remedy.
std::vector<Remedy> remedies(const Question& question, const BandFile& band, const Domain& domain,
                             const std::vector<std::size_t>& layers);

// The remedy for a pattern in the file of this band itself.
Remedy own_remedy(const BandFile& band, const std::string& key, const std::string& pattern,
                  const std::string& wider = "");

// Returns the files of remedies(), without duplicates.
std::vector<std::string> files_to_write(const BandFile& band, const Domain& domain,
                                        const std::vector<std::size_t>& layers);

// Returns the place of the key that the JSON pointer ("/allow/cli") names; line 0 if the file does not have this key.
KeyPlace place_of_key(const BandFile& band, const std::string& pointer);

// "github/BAND.md" of "github/BAND.md:12".
std::string file_of(const Rule& rule);

}  // namespace band::client
