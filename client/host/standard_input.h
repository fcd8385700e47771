// Standard input as a text of bounded size.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "schemas/core/result.h"

namespace band::client {

enum class Until {
  End,   // of the input
  Line,  // or the end of a line: what a person types at a terminal, which read(2) gives line by line
};
// Nothing when there are more than `most` bytes; the rest of them is not read.
Result<std::optional<std::string>> read_standard_input(std::size_t most, Until until = Until::End);

}  // namespace band::client
