// The lines in which two texts differ, in the unified format of diff(1). Pure.
#pragma once

#include <string>
#include <string_view>

namespace band::client {

// Lines that begin with `-` are of `wanted` alone, with `+` of `got` alone, with a blank of both; of those at most
// three stand around a difference. At most `most` lines, and a line that says how many more there are; of a line at
// most 300 bytes. "" when the texts are equal. Bytes are as they are, but for a carriage return at the end of a line,
// which is shown as `\r`.
std::string text_diff(std::string_view wanted, std::string_view got, std::size_t most = 60);

// The same, whole, behind the two lines that name `file`: what patch(1) takes.
std::string unified_diff(const std::string& file, std::string_view before, std::string_view after);

}  // namespace band::client
