// An error in a file that a user wrote, with its position.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band {

struct Diagnostic {
  std::string file;
  int line = 0, column = 0;  // counted from 1, columns in bytes; 0 when unknown
  std::string message;       // the problem
  std::string hint;          // the remedy
  std::string text() const;  // "FILE:LINE:COLUMN: message; hint"
};

// Returns JSON text: an array of {"file", "line", "column", "message", "hint"}.
std::string json_of(const std::vector<Diagnostic>& diagnostics);

// Returns one Error (SkillInvalid) for all diagnostics. The message has one line for each diagnostic, and the details
// are json_of(errors).
Error skill_invalid(const std::vector<Diagnostic>& errors);

// Returns a diagnostic at the position of a rule. `origin` is the file and the line: "github/BAND.md:9".
Diagnostic at_origin(const std::string& origin, std::string message, std::string hint);

// Sorts by file, line and column, and removes duplicates.
void sort_by_place(std::vector<Diagnostic>& diagnostics);

// Returns the smallest number of insertions, deletions, replacements and swaps of adjacent characters that change `a`
// into `b` (optimal string alignment). Takes time and memory in proportion to the product of the two lengths.
std::size_t edits_between(const std::string& a, const std::string& b);

// Returns the word of `known` that needs the fewest edits to become `word`; "" when no word of `known` is similar to
// `word`.
std::string nearest_word(const std::string& word, const std::vector<std::string>& known);

}  // namespace band
