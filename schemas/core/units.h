// Parses durations and sizes in bands and options.
#pragma once

#include <cstdint>
#include <string_view>

#include "schemas/core/result.h"

namespace band {

// The text is a whole number, alone or followed by one of the units below. Both functions return Code::SkillInvalid for
// any other text, for values of 0 or less, and for values above kMostMs or kMostBytes (largest.h).
Result<std::int64_t> parse_duration_ms(std::string_view text);  // "250ms", "30s", "5m", "1h"; "250": milliseconds
Result<std::int64_t> parse_bytes(std::string_view text);        // "1k" (1024 bytes), "10m", "1g"; "250": bytes

}  // namespace band
