// Finds the candidates for the word at the cursor of an incomplete `band` command line. Reads files of skills and
// targets; writes nothing, executes no file of a skill and contacts no server. A skill may be hostile. Therefore,
// candidates that have control characters or cannot be typed on a command line are left out, and each description is
// one printable line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace band::client {

struct Candidate {
  std::string word;   // the whole word; if it ends with / or = or @, the user has to type the rest of it
  std::string about;  // a description; may be empty
};

struct Completion {
  // What the shell must complete by itself in addition to the candidates.
  enum class Ask { Nothing, Files, Directories, Commands };
  Ask ask = Ask::Nothing;
  // If the shell completes a path, the number of characters of the word at the cursor that precede this path: 7 in
  // `--read=src`, 1 in `@file`.
  std::size_t behind = 0;
  std::vector<Candidate> candidates;
};

inline constexpr std::size_t kMaxCandidates = 1'000;    // further candidates are left out
inline constexpr std::size_t kMaxCandidateBytes = 512;  // longer words are left out

// `words`: the words after `band`, up to the cursor. The last one, which may be "", is completed. Unreadable files are
// ignored. If `described` is false, Candidate::about stays empty, which is faster.
Completion complete(const std::vector<std::string>& words, bool described);

std::size_t characters(const std::string& text);  // the number of Unicode characters in a UTF-8 text

}  // namespace band::client
