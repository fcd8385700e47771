// Numbers that keep their text. nlohmann/json converts a number to a 64-bit integer or a double, and would write some
// numbers differently from how they were read: 123456789012345678901234567890, 1e3, 1.10, -0, 1e400. band stores such a
// number as its text in a value of the library's type `binary`, which JSON texts do not use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schemas/core/json_fwd.h"

namespace band {

// The maximum length of a number: enough for an RSA key of 8192 bits (2467 digits), and so small that comparing two
// numbers does not take longer than reading them.
inline constexpr std::size_t kMaxNumberBytes = 4096;
inline constexpr std::int64_t kMaxExponent = 999'999'999;

bool is_number(const Json& value);          // true also for a number that is stored as its text
double nearest_double(const Json& number);  // infinite if the number is beyond the range of doubles

// The parts of a number of RFC 8259. For `-12.340e+5`: negative, whole "12", fraction "340", exponent 5.
struct NumberParts {
  bool negative = false;
  std::string_view whole, fraction;
  // kMaxExponent + 1 for all exponents above kMaxExponent, and -(kMaxExponent + 1) for all below -kMaxExponent.
  std::int64_t exponent = 0;
};
std::optional<NumberParts> number_parts(std::string_view text);  // nullopt unless all of `text` is one number

Json number_with_text(std::string_view text);                // `text` must be a number
std::optional<std::string_view> text_of(const Json& value);  // nullopt unless `value` is stored as its text

// The number `digits` * 10^`exponent`, with a minus sign if `negative`. `digits` has neither leading nor trailing
// zeros; for the number 0, `digits` is empty. For a double: the shortest decimal number that reads back as the same
// double.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;
};
Decimal decimal_of(const Json& number);
int compare(const Decimal& a, const Decimal& b);  // returns a value less than, equal to or greater than 0

}  // namespace band
