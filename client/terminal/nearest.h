// "did you mean": the known names that are close to a mistyped one. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace band::client {

// At most `most` of `known`, closest first; none when nothing is close.
std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& known, std::size_t most = 3);

// "did you mean `a` or `b`?", or `otherwise`. `prefix` is put before each name ("--").
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known, std::string_view prefix,
                         std::string otherwise);

}  // namespace band::client
