// What the word at the cursor may become. Reads files of skills and targets; writes nothing, executes nothing of a
// skill and asks no server. Skills may be hostile: a word that has a character which steers a terminal is left out, and
// so is one that no command line can have; what stands behind a word is one printable line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace band::client {

struct Candidate {
  std::string word;   // the whole word; complete unless it ends with one of / = @
  std::string about;  // may be empty
};

struct Completion {
  // What the shell completes by itself, beside the candidates.
  enum class Ask { Nothing, Files, Directories, Commands };
  Ask ask = Ask::Nothing;
  std::size_t behind = 0;  // characters of the word that stand in front of a path: 7 in `--read=src`, 1 in `@file`
  std::vector<Candidate> candidates;
};

inline constexpr std::size_t kMaxCandidates = 1'000;
inline constexpr std::size_t kMaxCandidateBytes = 512;

// `words`: those behind `band` up to the cursor; the last one, which may be empty, is completed (it is "" when there is
// none). What cannot be read gives no candidates. Without `described` no `about` is looked for, which saves time.
Completion complete(const std::vector<std::string>& words, bool described);

std::size_t characters(const std::string& text);  // of UTF-8

}  // namespace band::client
