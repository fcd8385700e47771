// Candidates for the word at the cursor. Reads files of skills and targets; writes nothing, executes no file of a skill
// and contacts no server. Skills may be hostile: words with control characters and words that cannot occur on a command
// line are left out, and each description is one printable line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace band::client {

struct Candidate {
  std::string word;   // the whole word; incomplete if it ends with one of / = @
  std::string about;  // may be empty
};

struct Completion {
  // What the shell itself completes in addition to the candidates.
  enum class Ask { Nothing, Files, Directories, Commands };
  Ask ask = Ask::Nothing;
  std::size_t behind = 0;  // number of characters of the word before a path: 7 in `--read=src`, 1 in `@file`
  std::vector<Candidate> candidates;
};

inline constexpr std::size_t kMaxCandidates = 1'000;
inline constexpr std::size_t kMaxCandidateBytes = 512;

// `words`: those between `band` and the cursor; the last one, possibly empty, is completed ("" if there is none).
// Unreadable files yield no candidates. Without `described`, `about` stays empty, which saves time.
Completion complete(const std::vector<std::string>& words, bool described);

std::size_t characters(const std::string& text);  // Unicode characters of a UTF-8 text

}  // namespace band::client
