// Data about options with which a program starts another program: the option's value names the other program, or the
// option itself implies it. Pure. Private to this room.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "client/shell/named_programs.h"
#include "client/shell/reading.h"

namespace band::client {

struct Naming {
  // How the option names the started program. Program: by its value. InWord: by its value in the same word; without a
  // value, it implies the program `starts`. Directory: its value is a directory from which programs are started; an
  // empty value starts none. None: it has no value and implies the program `starts`.
  enum class Value : char { Program, InWord, Directory, None };
  std::string_view program;  // the program that has the option: "tar"; "git clone" for an option after the subcommand
  std::string_view letters;  // the short options with a value: the rest of the word after one of them is its value
  std::string_view letter;   // the short option; "": the option has only a long name
  std::string_view name;     // the long option; "": the option has only a letter
  Value value = Value::Program;
  std::string_view starts = {};  // None, Directory, InWord without a value: the program that is started
  // If not empty, only a value with this prefix names a program. If the prefix ends with `=`, the program's name is the
  // rest of the value; otherwise it is the whole value.
  std::string_view prefix = {};
};

// Returns words[at + 1], or "" if there is none.
std::string next_word(std::span<const ShellWord> words, std::size_t at);
// Returns the value if words[at] is the option of `naming`; "" if it has no value.
std::optional<std::string> value_of(const Naming& naming, std::span<const ShellWord> words, std::size_t at);

// Returns the program of the first option in `words` that an element of `namings` for `program` describes. Stops at
// `--`; words[0] is not an option.
std::optional<NamedProgram> named_by_option(std::span<const Naming> namings, std::string_view program,
                                            std::span<const ShellWord> words);

}  // namespace band::client
