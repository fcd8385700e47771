// Finds in the log of a failed script the files, programs and variables that the log reports as missing. The log is
// untrusted: the script writes it, and can name anything in it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemas/wire/wire.h"

namespace band::client {

// One word of a line that reports something as missing.
struct LogWord {
  std::string text;
  bool is_program = false;  // other words of the line show that `text` names a program; false: not known
};

// Returns the last 64 KiB of a text that a script has written; the text can have any size.
std::string end_of_log(const std::string& log);
// Returns end_of_log() of the script's stdout and stderr, joined.
std::string log_of(const Answer& answer);

// Returns all words of the lines in which libc, Python, Node.js, Go or a shell reports something as missing. `log` is a
// result of log_of() and therefore bounded.
std::vector<LogWord> missing_words(std::string_view log);
// Returns all words of a text, without the quotes, brackets and punctuation between them.
std::vector<LogWord> words_of(std::string_view text);

// Returns the name of the program that `word` may refer to. Returns "" if nothing shows that the word names a program,
// or if the program is an essential: every sandbox has these programs, and a band need not declare them.
std::string program_of(const LogWord& word);

// Returns `path` relative to the workspace, the caller's directory whose files a run may use. `path` may be a path of
// the sandbox (below /work), a path of the caller's machine (below `workspace`), or a relative path. Returns any other
// path unchanged, but without `./` at its beginning and `/` at its end.
std::string in_workspace(std::string_view path, std::string_view workspace);

// Returns true when the log contains git's message that there is no repository.
bool misses_repository(std::string_view log);

// Returns the variables that bash reports as not set (`set -u`), at most 50.
std::vector<std::string> unset_variables(std::string_view log);

}  // namespace band::client
