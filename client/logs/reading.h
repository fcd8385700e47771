// What the log of a failed script says that it missed. The log is the script's: it can name what it never asked for.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemas/wire/wire.h"

namespace band::client {

// A word of a line that says that something does not exist.
struct LogWord {
  std::string text;
  bool is_program = false;  // by what stands before it; else it may be a file or anything
};

// The last 64 KiB of a text of a script's, which can write any amount.
std::string end_of_log(const std::string& log);
// The ends of stdout and of stderr: each is cut by itself.
std::string log_of(const Answer& answer);

// Of the lines that say so (log_of() bounds the log), in the words of libc, Python, Node.js, Go or a
// shell.
std::vector<LogWord> missing_words(std::string_view log);
// All words of a text, without the quotes, brackets and punctuation between them.
std::vector<LogWord> words_of(std::string_view text);

// The name of the program that the word may be; "" where it is none that a band would have to declare.
std::string program_of(const LogWord& word);

// As a path of the workspace: what the script sees below /work, and what its author has on this side.
std::string in_workspace(std::string_view path, std::string_view workspace);

// git's message where no repository was shipped.
bool misses_repository(std::string_view log);

// Variables that bash says are not set (`set -u`).
std::vector<std::string> unset_variables(std::string_view log);

}  // namespace band::client
