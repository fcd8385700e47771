// The position of the cursor in an incomplete command line: which verb, which value. Parses words as
// client/terminal/command_line.h does, and rejects none. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "client/terminal/verbs.h"

namespace band::client {

struct Place {
  const VerbInfo* verb = nullptr;      // null: the word at the cursor is the verb, or a flag before it
  const FlagInfo* value_of = nullptr;  // the word at the cursor is the value of this flag
  std::string parameter;               // the previous word is `--parameter` of a script: this word may be its value
  std::vector<std::string> arguments;  // before the cursor: the script's name ...
  std::set<std::string> given;         // names of flags and parameters before the cursor
  std::vector<std::string> skills;     // values of --skills
  bool of_command = false;             // in a command line after `--` or COMMAND
  bool command_has_name = false;
  bool unknown = false;  // the word cannot be classified: unknown verb, or no script name yet
};

// `before`: the words between `band` and the one at the cursor.
Place place_of(const std::vector<std::string>& before);

// Returns the kind of the argument at the cursor.
WordKind word_at(const Place& place);

}  // namespace band::client
