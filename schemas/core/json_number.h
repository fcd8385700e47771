// Numbers that keep their text. nlohmann's numbers are 64-bit integers and doubles. A number that neither of them would
// write as it was read (123456789012345678901234567890, 1e3, 1.10, -0, 1e400) is stored as its text in a value of
// nlohmann's type `binary`, which JSON text cannot produce otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schemas/core/json_fwd.h"

namespace band {

// More digits than an RSA or DSA key has; and few enough that comparing two numbers takes no longer than reading them.
inline constexpr std::size_t kMaxNumberBytes = 4096;
inline constexpr std::int64_t kMaxExponent = 999'999'999;

bool is_number(const Json& value);          // one of nlohmann's three number types, or a number that keeps its text
double nearest_double(const Json& number);  // infinite when beyond the range of doubles

// The parts of a number of RFC 8259: `-12.340e+5` is negative, "12", "340" and 5.
struct NumberParts {
  bool negative = false;
  std::string_view whole, fraction;
  std::int64_t exponent = 0;  // beyond kMaxExponent on either side: kMaxExponent + 1, with its sign
};
std::optional<NumberParts> number_parts(std::string_view text);  // nullopt unless all of `text` is one number

Json number_with_text(std::string_view text);                // `text` must be a number
std::optional<std::string_view> text_of(const Json& value);  // nullopt unless `value` is a number that keeps its text

// The value digits * 10^exponent, without leading and trailing zeros; 0 has no digits. For a double: the shortest
// decimal that denotes it.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;
};
Decimal decimal_of(const Json& number);
int compare(const Decimal& a, const Decimal& b);  // returns a value less than, equal to or greater than 0

}  // namespace band
