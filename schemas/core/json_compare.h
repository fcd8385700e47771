// Equality and order of JSON values as JSON Schema means them: numbers by value (1 equals 1.0, and 9007199254740993
// differs from 9007199254740992.0), objects without regard to the order of members.
#pragma once

#include <optional>
#include <string>

#include "schemas/core/json_fwd.h"

namespace band {

// Less than, equal to, greater than 0. A total order over all values; across types it only serves sorting.
int compare_json(const Json& a, const Json& b);
inline bool equal_json(const Json& a, const Json& b) { return compare_json(a, b) == 0; }

// Where `got` differs from `wanted` first, in the order of `wanted`: a JSON pointer ("" is the whole), and what stands
// there on each side; null: nothing does.
struct JsonDifference {
  std::string pointer;
  const Json* wanted = nullptr;
  const Json* got = nullptr;
};
// Named: members of objects that `wanted` lacks make no difference, at any depth, in items of arrays as well. Arrays
// have to be of one size in both cases.
enum class Members { All, Named };
// Nothing when they are equal. The pointers point into the arguments.
std::optional<JsonDifference> first_difference(const Json& wanted, const Json& got, Members members = Members::All);

// Is number `value` an integer multiple of number `divisor` > 0, both read as the decimals as which they are written
// (so 19.99 is a multiple of 0.01)? `divisor` has at most kMaxDivisorDigits digits but zeros at either end.
inline constexpr std::size_t kMaxDivisorDigits = 19;  // of 64 bits
bool is_multiple_of(const Json& value, const Json& divisor);

// Has a number no fraction? 1.0 is an integer in draft-07.
bool is_integral(const Json& number);

// The first two equal items, by index, or nothing. n log n comparisons.
std::optional<std::pair<std::size_t, std::size_t>> equal_items(const Json& array);

}  // namespace band
