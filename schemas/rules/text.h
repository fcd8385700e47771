// Rules in messages to people.
#pragma once

#include <cstddef>
#include <string>

#include "schemas/rules/rules.h"

namespace band {

inline constexpr std::size_t kMaxShownPattern = 120;  // characters

// `"jq -r *", hello/BAND.md:9`, escaped and cut.
std::string shown_rule(const Rule& rule);
// "server.yaml" of "server.yaml:12", escaped and cut.
std::string shown_file_of(const Rule& rule);

}  // namespace band
