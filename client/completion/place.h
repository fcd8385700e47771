// Where the cursor stands in a command line that is not complete: which verb, which value. Reads words as the parser
// does (client/terminal/command_line.h), and refuses none. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "client/terminal/verbs.h"

namespace band::client {

struct Place {
  const VerbInfo* verb = nullptr;      // null: the word at the cursor is the verb, or a flag in front of it
  const FlagInfo* value_of = nullptr;  // the word at the cursor is the value of this flag
  std::string parameter;               // behind `--parameter` of a script: the word may be its value
  std::vector<std::string> arguments;  // in front of the cursor: the script's name ...
  std::set<std::string> given;         // names of flags and parameters in front of the cursor
  std::vector<std::string> skills;     // values of --skills
  bool of_command = false;             // in the words of a command
  bool command_has_name = false;
  bool unknown = false;  // what the word is cannot be known: the verb does not exist, the script is not named first
};

// `before`: the words between `band` and the one at the cursor.
Place place_of(const std::vector<std::string>& before);

// What the argument at the cursor is.
WordKind word_at(const Place& place);

}  // namespace band::client
