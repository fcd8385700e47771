// The commands of a find(1): the words after -exec, -execdir, -ok and -okdir. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "client/shell/reading.h"

namespace band::client {

struct FindActions {
  std::vector<std::span<const ShellWord>> commands;  // without `;` or `+`; subspans of the given words
  std::string unread;                                // an unknown word; the words after it were not read
};

FindActions find_actions(std::span<const ShellWord> words);

}  // namespace band::client
