// Data about options with which a program starts another program: the option's value names the other program, or the
// option itself implies it. Pure. Only files of this directory include this header.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "client/shell/named_programs.h"
#include "client/shell/reading.h"

namespace band::client {

struct Naming {
  // How the option names the started program:
  // - Program: by its value, as in `tar --to-command=PROGRAM`.
  // - InWord: by its value in the same word, as in `git grep -OPAGER`. Without a value, it implies the program
  //   `starts`.
  // - Directory: its value is a directory from which programs are started, as in `git clone --template=DIRECTORY`. An
  //   empty value starts none.
  // - None: it has no value and implies the program `starts`, as `tar --xz` implies xz.
  enum class Value : char { Program, InWord, Directory, None };
  std::string_view program;  // the program that has the option: "tar"; "git clone" for an option after the subcommand
  // The letters of all short options of `program` that have a value. In a word such as `-fx`, with f in `letters`, x is
  // the value of f and not an option.
  std::string_view letters;
  std::string_view letter;  // the short option; "": the option has only a long name
  std::string_view name;    // the long option; "": the option has only a letter
  Value value = Value::Program;
  // For an option whose value does not name the program: the program, or text about the programs ("the pager").
  std::string_view starts = {};
  // If not empty, only a value with this prefix names a program. If the prefix ends with `=` (`exec=` of `tar
  // --checkpoint-action=exec=PROGRAM`), the program's name is the rest of the value; otherwise it is the whole value.
  std::string_view prefix = {};
};

// Returns words[at + 1], or "" if there is none.
std::string next_word(std::span<const ShellWord> words, std::size_t at);
// Returns the value if words[at] is the option of `naming`, otherwise nullopt. The value may be in the next word.
// Returns "" if the value is missing. For Value::None, the returned text has no meaning.
std::optional<std::string> value_of(const Naming& naming, std::span<const ShellWord> words, std::size_t at);

// Searches `words` for an option that an element of `namings` with this `program` describes. Returns what the first
// such option starts; nullopt if there is none. words[0] (`clone` for "git clone") is not examined, nor are the words
// from `--` on.
std::optional<NamedProgram> named_by_option(std::span<const Naming> namings, std::string_view program,
                                            std::span<const ShellWord> words);

}  // namespace band::client
