// Finds the commands that a command line of find(1) starts: the words after -exec, -execdir, -ok and -okdir. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "client/shell/reading.h"

namespace band::client {

struct FindActions {
  std::vector<std::span<const ShellWord>> commands;  // without `;` or `+` at the end; subspans of the argument `words`
  std::string unread;  // a word that find_actions() does not know; the words after it were not read; "" if none
};

// `words`: the whole command line; words[0] is the name of find.
FindActions find_actions(std::span<const ShellWord> words);

}  // namespace band::client
