// Equality and order of JSON values as defined by JSON Schema: numbers compare by value (1 equals 1.0, and
// 9007199254740993 differs from 9007199254740992.0), and the order of an object's members is irrelevant.
#pragma once

#include <optional>
#include <string>

#include "schemas/core/json_fwd.h"

namespace band {

// Returns a value less than, equal to or greater than 0. A total order over all values; between values of different
// types it is arbitrary and only useful for sorting.
int compare_json(const Json& a, const Json& b);
inline bool equal_json(const Json& a, const Json& b) { return compare_json(a, b) == 0; }

// The first difference between `wanted` and `got`, in the order of `wanted`: a JSON pointer ("" is the whole value) and
// the value at this place in each document, null if absent.
struct JsonDifference {
  std::string pointer;
  const Json* wanted = nullptr;
  const Json* got = nullptr;
};
// Named: members that `wanted` does not have are ignored, at any depth, also within items of arrays. Arrays must have
// the same size in both modes.
enum class Members { All, Named };
// Returns nullopt when the values are equal. The pointers of the result point into the arguments.
std::optional<JsonDifference> first_difference(const Json& wanted, const Json& got, Members members = Members::All);

// Returns whether number `value` is an integer multiple of number `divisor` > 0. Both are compared as decimals, as they
// are written: 19.99 is a multiple of 0.01. Returns false if `divisor` has more than kMaxDivisorDigits digits, not
// counting zeros at either end.
inline constexpr std::size_t kMaxDivisorDigits = 19;  // fit into 64 bits
bool is_multiple_of(const Json& value, const Json& divisor);

// Returns whether a number has no fraction: 1.0 is an integer in draft-07.
bool is_integral(const Json& number);

// Returns the indexes of the first two equal items, or nullopt. O(n log n) comparisons.
std::optional<std::pair<std::size_t, std::size_t>> equal_items(const Json& array);

}  // namespace band
