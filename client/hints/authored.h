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
  // Reads the script, scripts/_lib and the other files below scripts/; the words of the command; the file of the
  // workspace that it runs (`t.py` of `python3 t.py in.csv`); and the short values of the input. Not assets/ and
  // references/, and not the content of other files: they are data.
  explicit Authored(const Failure& failure);

  // As a whole word: a program, a variable, a package.
  bool names_program(std::string_view name) const;
  // As a whole path: `.env` of `cat ./.env`, and not that of `process.env`.
  bool names_path(std::string_view path) const;
  // In any letter case: in a URL or after `@`; in quotes; in shell text, the command and the input also as a word,
  // unless it could be a file (`install.sh`, `readme.md`). `logging.info` in a program is not a host.
  bool names_host(std::string_view name) const;
  bool contains(std::string_view text) const;

  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_, lower_;
  std::vector<bool> plain_;  // for each text: shell text, an argument of the command, or a value of the input
};

// For a name that is in none of these texts: the end of a hint, without a line to paste.
inline constexpr std::string_view kFromData =
    "; neither the skill nor the command has this name: allow it only if you know it";

}  // namespace band::client
