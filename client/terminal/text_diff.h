// The difference of two texts, in the unified format of diff(1). Pure.
#pragma once

#include <string>
#include <string_view>

namespace band::client {

// In the result, lines that begin with `-` occur only in `wanted`, lines with `+` only in `got`, lines with a blank in
// both; at most three lines with a blank are before and after a difference. Returns at most `most` of these lines, then
// the number of omitted lines; a line is cut after 300 bytes. Returns "" if the texts are equal. A carriage return at
// the end of a line is shown as `\r`. All other bytes are unchanged: the caller must escape them for a terminal.
std::string text_diff(std::string_view wanted, std::string_view got, std::size_t most = 60);

// Returns the difference in the form that patch(1) accepts: without limits, and after the two lines that name `file`.
std::string unified_diff(const std::string& file, std::string_view before, std::string_view after);

}  // namespace band::client
