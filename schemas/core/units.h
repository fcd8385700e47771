// Durations and sizes as people write them.
#pragma once

#include <cstdint>
#include <string_view>

#include "schemas/core/result.h"

namespace band {

// "30s" "5m" "1h" or a number of milliseconds; "1k" "10m" "1g" or a number of bytes. Refused with Code::SkillInvalid: 0
// and less, and what is above kMostMs or kMostBytes (largest.h).
Result<std::int64_t> parse_duration_ms(std::string_view text);
Result<std::int64_t> parse_bytes(std::string_view text);

}  // namespace band
