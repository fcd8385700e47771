// The texts that the author of the skill or the caller has written, in contrast to data that the script reads. A name
// that these texts contain can be in a line to paste.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/hints/failure.h"

namespace band::client {

class Authored {
 public:
  // Reads the script, scripts/_lib and the other files below scripts/; the words of the command; the program of the
  // workspace that the command runs, which is the first file that it names; and the short values of the input. Not
  // assets/ and references/, and not the content of other files: they are data.
  explicit Authored(const Failure& failure);

  // In any letter case, as a whole word.
  bool names_program(std::string_view name) const;
  bool names_variable(std::string_view name) const;
  // A host is named in a URL, or as a word. A name that could be a file (`install.sh`, `readme.md`) must be in a URL.
  bool names_host(std::string_view name) const;
  bool contains(std::string_view text) const;  // case matters

  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_, lower_;
};

// For a name that is in none of these texts: the end of a hint, without a line to paste.
inline constexpr std::string_view kFromData =
    "; neither the skill nor the command has this name: allow it only if you know it";

}  // namespace band::client
