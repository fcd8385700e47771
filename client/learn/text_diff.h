// Two texts as a unified diff. Pure.
#pragma once

#include <string>
#include <string_view>

namespace band::client::learn {

// `file` stands in both heads. "" when the texts are equal. Time and memory of both numbers of lines multiplied: for
// texts of a BAND.md's size.
std::string unified_diff(const std::string& file, std::string_view before, std::string_view after);

}  // namespace band::client::learn
