// An error in a file that a person wrote, with its place.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band {

struct Diagnostic {
  std::string file;
  int line = 0, column = 0;  // from 1, columns in bytes; 0 when there is none
  std::string message;       // what is wrong
  std::string hint;          // what to write instead
  std::string text() const;  // "FILE:LINE:COLUMN: message; hint"
};

// JSON: an array of {"file", "line", "column", "message", "hint"}.
std::string json_of(const std::vector<Diagnostic>& diagnostics);

// One Error (SkillInvalid) of all of them: a line each, and as a list in its details.
Error skill_invalid(const std::vector<Diagnostic>& errors);

// At the place of a rule: "github/BAND.md:9" is a file and a line.
Diagnostic at_origin(const std::string& origin, std::string message, std::string hint);

// By file, line and column; each once.
void sort_by_place(std::vector<Diagnostic>& diagnostics);

// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment), in time and memory of both
// lengths multiplied.
std::size_t edits_between(const std::string& a, const std::string& b);

// The word of `known` that somebody may have meant by `word`; empty when none is near.
std::string nearest_word(const std::string& word, const std::vector<std::string>& known);

}  // namespace band
