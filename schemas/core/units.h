// Parses durations and sizes in bands and options.
#pragma once

#include <cstdint>
#include <string_view>

#include "schemas/core/result.h"

namespace band {

// Accepts "30s", "5m", "1h" or a number of milliseconds; "1k", "10m", "1g" or a number of bytes. Refused with
// Code::SkillInvalid: values of 0 or less, and values above kMostMs or kMostBytes (largest.h).
Result<std::int64_t> parse_duration_ms(std::string_view text);
Result<std::int64_t> parse_bytes(std::string_view text);

}  // namespace band
