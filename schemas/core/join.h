// Joins texts with a separator.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace band {

// Returns "a, b" for {"a", "b"} and ", ". Leaves out empty texts at the beginning of `parts`, and their separators.
std::string join(const std::vector<std::string>& parts, std::string_view between);

}  // namespace band
