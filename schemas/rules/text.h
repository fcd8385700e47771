// Rules as text in messages. "Escaped" is escaped() of json_text.h.
#pragma once

#include <cstddef>
#include <string>

#include "schemas/rules/rules.h"

namespace band {

inline constexpr std::size_t kMaxShownPattern = 120;  // characters

// Returns the pattern and the origin: `"jq -r *", hello/BAND.md:9`. Escaped and cut.
std::string shown_rule(const Rule& rule);
// Returns the file of the rule: "server.yaml" for the origin "server.yaml:12". Escaped and cut.
std::string shown_file_of(const Rule& rule);

}  // namespace band
