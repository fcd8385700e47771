// The difference of two texts, in the unified format of diff(1). Pure.
#pragma once

#include <string>
#include <string_view>

namespace band::client {

// Lines with `-` occur only in `wanted`, lines with `+` only in `got`, lines with a blank in both; at most three of the
// latter surround a difference. At most `most` lines, followed by the number of omitted ones; at most 300 bytes of a
// line. "" if the texts are equal. Bytes are unchanged, except that a carriage return at the end of a line is shown as
// `\r`.
std::string text_diff(std::string_view wanted, std::string_view got, std::size_t most = 60);

// The same without limits, after the two lines that name `file`: input for patch(1).
std::string unified_diff(const std::string& file, std::string_view before, std::string_view after);

}  // namespace band::client
