// The commands of a find(1): what stands behind -exec, -execdir, -ok and -okdir. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "client/shell/reading.h"

namespace band::client {

struct FindActions {
  std::vector<std::span<const ShellWord>> commands;  // without `;` or `+`; parts of the words that were given
  std::string unread;                                // a word that is not understood; the rest was not read
};

FindActions find_actions(std::span<const ShellWord> words);

}  // namespace band::client
