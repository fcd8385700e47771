// Texts as one, with something between them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace band {

// "a, b" of {"a", "b"}. Nothing stands behind empty texts at the beginning.
std::string join(const std::vector<std::string>& parts, std::string_view between);

}  // namespace band
