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

  // Shell and Other: the text of a program. Argument: an argument of the command. Input: a value of the input,
  // which can be data.
  enum class Kind { Shell, Other, Argument, Input };
  const std::vector<std::string>& texts() const { return texts_; }
  // The name of the file that has texts()[index], or "".
  const std::string& file(std::size_t index) const { return files_[index]; }
  Kind kind(std::size_t index) const { return kinds_[index]; }  // the kind of texts()[index]

 private:
  std::vector<std::string> texts_, lower_;
  std::vector<Kind> kinds_;  // for each text
  std::vector<std::string> files_;
};

// Returns the index of the word of the command that names the program of an interpreter: 1 for `python3 t.py in.csv`.
// 0 if there is none, as in `bash -c CODE` and `make build`.
std::size_t program_argument(const Failure& failure);

// Returns the directory of this program in the workspace, and those above it, the nearest first; the last is "", the
// workspace. Empty if the program was not sent, or is not in the workspace.
std::vector<std::string> directories_of_program(const Failure& failure);
// Returns whether the path is below the directory of the program, or, if this is `scripts`, below the directory above
// it (that of a skill), and whether no name of the rest begins with a dot. Not for a program in the workspace's own
// directory or one directly below it.
bool is_beside_program(const std::string& path, const Failure& failure);

// For a name that is in none of these texts: the end of a hint, without a line to paste.
inline constexpr std::string_view kFromData =
    "; neither the skill nor the command has this name: allow it only if you know it";

}  // namespace band::client
