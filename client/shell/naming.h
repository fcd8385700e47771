// Options whose value, or which themselves, name a program that is started. Pure. Private to this room.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "client/shell/named_programs.h"
#include "client/shell/reading.h"

namespace band::client {

struct Naming {
  // What stands for the program. InWord: a value only in the option's own word, and a program without one as well.
  // Directory: programs in it are started, none where it is empty.
  enum class Value : char { Program, InWord, Directory, None };
  std::string_view program;  // "tar"; "git clone" for an option behind the subcommand
  std::string_view letters;  // short options with a value, as far as they matter for where `letter` can stand
  std::string_view letter;   // one; "": it has a long name only
  std::string_view name;     // "": it has a letter only
  Value value = Value::Program;
  std::string_view starts = {};  // None, Directory, InWord without a value: what is started
  // Only a value that begins so names a program. With a `=` at its end it is a mark, else a part of the name.
  std::string_view prefix = {};
};

// words[at + 1]; "" where there is none.
std::string next_word(std::span<const ShellWord> words, std::size_t at);
// The option of `naming` in words[at], with its value; "" where it has none.
std::optional<std::string> value_of(const Naming& naming, std::span<const ShellWord> words, std::size_t at);

// The first option of `words`, up to `--`, that one of the rows for `program` describes. words[0] is no option.
std::optional<NamedProgram> named_by_option(std::span<const Naming> namings, std::string_view program,
                                            std::span<const ShellWord> words);

}  // namespace band::client
