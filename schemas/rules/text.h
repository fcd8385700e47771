// Rules in messages.
#pragma once

#include <cstddef>
#include <string>

#include "schemas/rules/rules.h"

namespace band {

inline constexpr std::size_t kMaxShownPattern = 120;  // characters

// Returns `"jq -r *", hello/BAND.md:9`, escaped and cut.
std::string shown_rule(const Rule& rule);
// Returns "server.yaml" for the origin "server.yaml:12", escaped and cut.
std::string shown_file_of(const Rule& rule);

}  // namespace band
