// An error in a file that a user wrote, with its position.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band {

struct Diagnostic {
  std::string file;
  int line = 0, column = 0;  // from 1, columns in bytes; 0 when unknown
  std::string message;       // the problem
  std::string hint;          // the remedy
  std::string text() const;  // "FILE:LINE:COLUMN: message; hint"
};

// JSON: an array of {"file", "line", "column", "message", "hint"}.
std::string json_of(const std::vector<Diagnostic>& diagnostics);

// Returns one Error (SkillInvalid) for all diagnostics: one line for each, and a list of them in its details.
Error skill_invalid(const std::vector<Diagnostic>& errors);

// Returns a diagnostic at the origin of a rule: "github/BAND.md:9" is a file and a line.
Diagnostic at_origin(const std::string& origin, std::string message, std::string hint);

// Sorts by file, line and column, and removes duplicates.
void sort_by_place(std::vector<Diagnostic>& diagnostics);

// Returns the number of insertions, deletions, replacements and swaps of adjacent characters (optimal string
// alignment). Time and memory: the product of both lengths.
std::size_t edits_between(const std::string& a, const std::string& b);

// Returns the word of `known` with the smallest edit distance to `word`; "" when none is near.
std::string nearest_word(const std::string& word, const std::vector<std::string>& known);

}  // namespace band
