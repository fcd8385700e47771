// The line to write in a BAND.md so that the rules open something that they do not open now. Pure.
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
  std::string pattern;  // opens exactly the requested line, file or host; "" if no rule can
  std::string wider;    // opens similar ones, too; "" if there is no proposal. At least one of the two is not empty
  // Lines of `allow.KEY` and of `allow` in the file; 0 if unknown or missing. A key must not occur twice.
  int line = 0, allow_line = 0;

  std::string yaml(const std::string& pattern) const;  // allow: {cli: ["gh repo delete x"]}
  std::string place() const;                           // "in x/BAND.md", "in x/BAND.md, to allow.cli (line 3)"
  std::string text(const std::string& pattern) const;  // what to write at that place
  // "write in x/BAND.md:  allow: {cli: [\"gh repo delete x\"]}"; one line, escaped.
  std::string instruction(const std::string& pattern) const;
  // For `pattern`; if that is empty, for `wider`, marked as wider.
  std::string instruction() const;
};

// Returns the words of a command line as a pattern that matches only this line. nullopt: impossible (not UTF-8, or
// longer than the limit of a pattern).
std::optional<std::string> cli_pattern(const std::vector<std::string>& argv);
// Returns the reason as a sentence if there is no such pattern, else "".
std::string why_no_cli_pattern(const std::vector<std::string>& argv);
// Returns whether a band can declare a command of this name.
bool can_be_declared(const std::vector<std::string>& argv);

// Returns one remedy for each file that has to open it: the file of the script's band, or of a layer that it extends.
// `layers`: indices of the layers of `domain` that do not open it; empty if the domain has no layers.
std::vector<Remedy> remedies(const Question& question, const BandFile& band, const Domain& domain,
                             const std::vector<std::size_t>& layers);

// "github/BAND.md" of "github/BAND.md:12".
std::string file_of(const Rule& rule);

}  // namespace band::client
