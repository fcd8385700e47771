// The lines of a text, without their line feeds; a carriage return in front of one stays. They point into the text.
#pragma once

#include <string_view>
#include <vector>

namespace band {

// An empty text has none; a line feed at the end begins no further line.
std::vector<std::string_view> lines_of(std::string_view text);
// "" of an empty text.
std::string_view first_line(std::string_view text);

}  // namespace band
