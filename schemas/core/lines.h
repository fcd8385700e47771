// Splits a text into lines without their line feeds; a carriage return before a line feed stays. The results point into
// the text.
#pragma once

#include <string_view>
#include <vector>

namespace band {

// An empty text has no lines; a line feed at the end does not start another line.
std::vector<std::string_view> lines_of(std::string_view text);
// Returns "" for an empty text.
std::string_view first_line(std::string_view text);

}  // namespace band
