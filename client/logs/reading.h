// Finds in the log of a failed script what it reports as missing. Untrusted: the script writes the log and can name
// anything in it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemas/wire/wire.h"

namespace band::client {

// One word of a line that reports something as missing.
struct LogWord {
  std::string text;
  bool is_program = false;  // the preceding word shows that it is a program; false: it may be anything
};

// Returns the last 64 KiB of a text of the script, because a script can write any amount.
std::string end_of_log(const std::string& log);
// Returns end_of_log() of stdout and of stderr, joined.
std::string log_of(const Answer& answer);

// Returns the words of all lines that report something as missing, in the messages of libc, Python, Node.js, Go or a
// shell. log_of() bounds the size of the log.
std::vector<LogWord> missing_words(std::string_view log);
// Returns all words of a text, without the quotes, brackets and punctuation between them.
std::vector<LogWord> words_of(std::string_view text);

// Returns the name of the program that the word may be; "" when it is not a program that a band has to declare.
std::string program_of(const LogWord& word);

// Returns the path relative to the workspace. `path` is one of the sandbox (below /work), one of the caller's machine
// (below `workspace`), or relative already.
std::string in_workspace(std::string_view path, std::string_view workspace);

// Returns true when the log has git's message about a missing repository.
bool misses_repository(std::string_view log);

// Returns the variables that bash reports as not set (`set -u`), at most 50.
std::vector<std::string> unset_variables(std::string_view log);

}  // namespace band::client
