// Reads standard input as a text of limited size.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "schemas/core/result.h"

namespace band::client {

enum class Until {
  End,  // EOF
  // EOF, or a read(2) that returns bytes of which the last is a line feed. Use it for a terminal: there, each read(2)
  // returns one line, so the user does not have to type Ctrl-D.
  Line,
};
// Returns the text, or nullopt when the input has more than `most` bytes; the rest of the input is then not read.
// Error: Code::Usage when read(2) fails.
Result<std::optional<std::string>> read_standard_input(std::size_t most, Until until = Until::End);

}  // namespace band::client
