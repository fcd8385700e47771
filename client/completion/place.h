// Finds what the word at the cursor of an incomplete command line is: a verb, an argument, a flag, or the value of a
// flag. Parses the words before the cursor as client/terminal/command_line.h does, but never returns an error. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "client/terminal/verbs.h"

namespace band::client {

struct Place {
  const VerbInfo* verb = nullptr;      // null: the word at the cursor is the verb, or a flag before the verb
  const FlagInfo* value_of = nullptr;  // the word at the cursor is the value of this flag; null: of no flag
  std::string parameter;  // name of a script's parameter, if the previous word is the parameter's flag: the word at the
                          // cursor may be the parameter's value
  std::vector<std::string> arguments;  // arguments of the verb before the cursor, such as the script's name
  std::set<std::string> given;         // names of flags and parameters before the cursor
  std::vector<std::string> skills;     // values of --skills
  bool of_command = false;             // the word at the cursor belongs to the command of `band exec` or `band why`
  bool command_has_name = false;       // if of_command: the command's name is before the cursor
  bool unknown = false;  // the word cannot be classified: the verb is unknown, or no script is named before a parameter

  std::string_view verb_name() const { return verb == nullptr ? "" : verb->name; }
};

// `before`: the words between `band` and the word at the cursor.
Place place_of(const std::vector<std::string>& before);

// Returns the kind of the argument at the cursor; WordKind::Free if it is not known what the word names.
WordKind word_at(const Place& place);

}  // namespace band::client
