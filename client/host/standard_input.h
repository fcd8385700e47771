// Reads standard input as a text of limited size.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "schemas/core/result.h"

namespace band::client {

enum class Until {
  End,   // EOF
  Line,  // EOF, or the first end of line. Use it for input from a terminal, where read(2) returns one line
};
// Returns nothing when the input has more than `most` bytes; the rest of it is not read.
Result<std::optional<std::string>> read_standard_input(std::size_t most, Until until = Until::End);

}  // namespace band::client
