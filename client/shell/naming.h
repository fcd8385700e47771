// Options that name a started program with their value, or imply one. Pure. Private to this room.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "client/shell/named_programs.h"
#include "client/shell/reading.h"

namespace band::client {

struct Naming {
  // How the program is given. InWord: only as a value in the same word; without a value the option implies a
  // program. Directory: programs in this directory are started; none if the value is empty. None: implied by the
  // option.
  enum class Value : char { Program, InWord, Directory, None };
  std::string_view program;  // "tar"; "git clone" for an option after the subcommand
  std::string_view letters;  // short options with a value that may precede `letter` in a word
  std::string_view letter;   // the short option; "": there is only a long name
  std::string_view name;     // the long option; "": there is only a letter
  Value value = Value::Program;
  std::string_view starts = {};  // None, Directory, InWord without a value: the program that is started
  // Only a value with this prefix names a program. A prefix that ends with `=` is removed, any other is part of the
  // name.
  std::string_view prefix = {};
};

// Returns words[at + 1], or "" if there is none.
std::string next_word(std::span<const ShellWord> words, std::size_t at);
// Returns the value if words[at] is the option of `naming`; "" if it has no value.
std::optional<std::string> value_of(const Naming& naming, std::span<const ShellWord> words, std::size_t at);

// Returns the first option of `words`, up to `--`, that a row for `program` describes. words[0] is not an option.
std::optional<NamedProgram> named_by_option(std::span<const Naming> namings, std::string_view program,
                                            std::span<const ShellWord> words);

}  // namespace band::client
