// Equality and order of JSON values as defined by JSON Schema: numbers compare by value (1 equals 1.0, and
// 9007199254740993 differs from 9007199254740992.0), and the order of an object's members is irrelevant.
#pragma once

#include <optional>
#include <string>

#include "schemas/core/json_fwd.h"

namespace band {

// Returns a value less than, equal to or greater than 0 if `a` is before, equal to or after `b` in a total order of all
// values. The order of two values of different types has no meaning; use the order only for sorting.
int compare_json(const Json& a, const Json& b);
inline bool equal_json(const Json& a, const Json& b) { return compare_json(a, b) == 0; }

// A difference between two values.
struct JsonDifference {
  std::string pointer;           // the JSON pointer of the place; "" is the whole value
  const Json* wanted = nullptr;  // the value at this place in `wanted`; nullptr if absent
  const Json* got = nullptr;     // the value at this place in `got`; nullptr if absent
};
// The members of objects that are compared. All: the members of both values. Named: only the members that `wanted` has,
// at any depth, also in objects within arrays. In both modes, two arrays differ if their sizes differ.
enum class Members { All, Named };
// Returns the first difference, in the order of `wanted`; nullopt when there is none. The result points into the
// arguments.
std::optional<JsonDifference> first_difference(const Json& wanted, const Json& got, Members members = Members::All);

// Returns whether the number `value` is an integer multiple of the number `divisor`, which must be above 0. Both
// numbers are used as the decimals that were written, so 19.99 is a multiple of 0.01. Returns false if `divisor`,
// without zeros at its beginning and end, has more than kMaxDivisorDigits digits.
inline constexpr std::size_t kMaxDivisorDigits = 19;  // a number of 19 digits fits into 64 bits
bool is_multiple_of(const Json& value, const Json& divisor);

// Returns whether a number has no fraction. As in draft-07, 1.0 has no fraction and is an integer.
bool is_integral(const Json& number);

// Finds the first item that equals an earlier item. Returns {index of the earlier item, index of the found item}.
// Returns nullopt if all items are different. Makes O(n log n) comparisons.
std::optional<std::pair<std::size_t, std::size_t>> equal_items(const Json& array);

}  // namespace band
