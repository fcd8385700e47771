// What to write into which BAND.md so that something that is closed is opened. Pure.
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
  std::string pattern;  // opens what was asked for, and nothing else; "" when no rule does
  std::string wider;    // opens what is alike, too; "" when there is nothing to propose. One of both is there
  // Of `allow.KEY` and of `allow` in the file, where they are known and there; else 0. A key must not stand twice.
  int line = 0, allow_line = 0;

  std::string yaml(const std::string& pattern) const;  // allow: {cli: ["gh repo delete x"]}
  std::string place() const;                           // "in x/BAND.md", "in x/BAND.md, to allow.cli (line 3)"
  std::string text(const std::string& pattern) const;  // what to write at that place
  // "write in x/BAND.md:  allow: {cli: [\"gh repo delete x\"]}"; one line, escaped.
  std::string instruction(const std::string& pattern) const;
  // Of `pattern`; of `wider`, marked as that, where there is no other.
  std::string instruction() const;
};

// The words of a command line as a pattern that matches it and no other line. nullopt: no pattern can (no UTF-8, or
// longer than a pattern may be).
std::optional<std::string> cli_pattern(const std::vector<std::string>& argv);
// Why there is none, as a sentence; "" where there is one.
std::string why_no_cli_pattern(const std::vector<std::string>& argv);
// Can any band declare a command of this name?
bool can_be_declared(const std::vector<std::string>& argv);

// In each file that has to open it: the one of the script's band, or that of a layer that it extends. `layers` are
// those of `domain` that do not open it; none where the domain has no layer.
std::vector<Remedy> remedies(const Question& question, const BandFile& band, const Domain& domain,
                             const std::vector<std::size_t>& layers);

// "github/BAND.md" of "github/BAND.md:12".
std::string file_of(const Rule& rule);

}  // namespace band::client
