// Splits a text into lines. A returned line does not include its line feed, but includes a carriage return before the
// line feed. Returned lines point into the text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace band {

// Returns no lines for an empty text. A line feed at the end of the text does not start another line.
std::vector<std::string_view> lines_of(std::string_view text);
// Returns "" for an empty text.
std::string_view first_line(std::string_view text);
// Returns the text with a carriage return before each line feed, as a terminal prints it.
std::string with_carriage_returns(std::string_view text);

}  // namespace band
