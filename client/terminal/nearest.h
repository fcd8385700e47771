// "did you mean": finds known names that are similar to a mistyped name. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace band::client {

// Returns at most `most` of `known`, most similar first; empty if none is similar.
std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& known, std::size_t most = 3);

// Returns "did you mean `a` or `b`?"; `otherwise` if no name is similar. `prefix` is put before each name ("--").
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known, std::string_view prefix,
                         std::string otherwise);

}  // namespace band::client
