// Numbers that keep their own text. nlohmann's values are integers of 64 bits and doubles; what neither of them would
// write as it was read (123456789012345678901234567890, 1e3, 1.10, -0, 1e400) is a value of its type `binary`, which
// JSON text has no other use for, and holds the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schemas/core/json_fwd.h"

namespace band {

// More digits than any key of RSA or DSA has; and comparing two numbers takes no longer than reading them.
inline constexpr std::size_t kMaxNumberBytes = 4096;
inline constexpr std::int64_t kMaxExponent = 999'999'999;

bool is_number(const Json& value);          // of any of the four kinds
double nearest_double(const Json& number);  // infinite where no double is near

// RFC 8259's number in its parts: `-12.340e+5` is negative, "12", "340" and 5.
struct NumberParts {
  bool negative = false;
  std::string_view whole, fraction;
  std::int64_t exponent = 0;  // beyond kMaxExponent on either side: kMaxExponent + 1, with its sign
};
std::optional<NumberParts> number_parts(std::string_view text);  // nothing when all of `text` is not one number

Json number_with_text(std::string_view text);                // what is_number() knows of the fourth kind
std::optional<std::string_view> text_of(const Json& value);  // of a number that keeps its text

// digits * 10^exponent; neither leading nor trailing zeros, and no digit at all for 0. A double is the shortest decimal
// that denotes it.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;
};
Decimal decimal_of(const Json& number);
int compare(const Decimal& a, const Decimal& b);  // less than, equal to, greater than 0

}  // namespace band
