// Reads standard input as a text of limited size.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "schemas/core/result.h"

namespace band::client {

enum class Until {
  End,  // EOF
  // EOF, or a call of read(2) whose last byte is a line feed. Use it for a terminal: there, each call returns one line,
  // so the user does not have to type Ctrl-D.
  Line,
};
// Returns nothing when the input has more than `most` bytes; the further bytes are not read.
Result<std::optional<std::string>> read_standard_input(std::size_t most, Until until = Until::End);

}  // namespace band::client
