// "did you mean": known names that are similar to a mistyped one. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace band::client {

// Returns at most `most` of `known`, most similar first; empty if none is similar.
std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& known, std::size_t most = 3);

// "did you mean `a` or `b`?", or `otherwise`. `prefix` is put before each name ("--").
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known, std::string_view prefix,
                         std::string otherwise);

}  // namespace band::client
