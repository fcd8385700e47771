#include "schemas/core/json_compare.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "schemas/core/json.h"
#include "schemas/core/json_number.h"
#include "schemas/core/json_pointer.h"

namespace band {
namespace {

template <class T>
int order_of(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

// Compares two numbers as decimals. Two doubles, or two unsigned integers, are compared directly, which has the same
// result. A double always counts as its shortest decimal: if it sometimes counted as its exact value, the order would
// not be transitive.
int compare_numbers(const Json& a, const Json& b) {
  if (a.is_number_float() && b.is_number_float()) return order_of(a.get<double>(), b.get<double>());
  if (a.is_number_unsigned() && b.is_number_unsigned()) return order_of(a.get<std::uint64_t>(), b.get<std::uint64_t>());
  return compare(decimal_of(a), decimal_of(b));
}

int rank_of(const Json& value) {
  if (value.is_null()) return 0;
  if (value.is_boolean()) return 1;
  if (is_number(value)) return 2;
  if (value.is_string()) return 3;
  return value.is_array() ? 4 : 5;
}

int compare_arrays(const Json& a, const Json& b) {
  if (a.size() != b.size()) return order_of(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    if (const int order = compare_json(a[i], b[i]); order != 0) return order;
  return 0;
}

using Member = Json::object_t::value_type;

std::vector<const Member*> sorted_members(const Json& object) {
  std::vector<const Member*> members;
  members.reserve(object.size());
  for (const Member& member : object.get_ref<const Json::object_t&>()) members.push_back(&member);
  std::sort(members.begin(), members.end(), [](const Member* a, const Member* b) { return a->first < b->first; });
  return members;
}

int compare_objects(const Json& a, const Json& b) {
  if (a.size() != b.size()) return order_of(a.size(), b.size());
  const auto left = sorted_members(a), right = sorted_members(b);
  for (std::size_t i = 0; i < left.size(); ++i)
    if (const int order = left[i]->first.compare(right[i]->first); order != 0) return order;
  for (std::size_t i = 0; i < left.size(); ++i)
    if (const int order = compare_json(left[i]->second, right[i]->second); order != 0) return order;
  return 0;
}

// The recursion of first_difference(). `pointer` is the JSON pointer of `wanted` and `got`.
class Search {
 public:
  explicit Search(Members members) : members_(members) {}

  std::optional<JsonDifference> values(const Json& wanted, const Json& got, const std::string& pointer) const {
    if (wanted.is_object() && got.is_object()) return objects(wanted, got, pointer);
    if (wanted.is_array() && got.is_array()) return arrays(wanted, got, pointer);
    if (equal_json(wanted, got)) return std::nullopt;
    return JsonDifference{pointer, &wanted, &got};
  }

 private:
  std::optional<JsonDifference> objects(const Json& wanted, const Json& got, const std::string& pointer) const {
    for (const auto& [name, value] : wanted.items()) {
      const std::string below = join_pointer(pointer, name);
      const auto found = got.find(name);
      if (found == got.end()) return JsonDifference{below, &value, nullptr};
      if (auto difference = values(value, *found, below)) return difference;
    }
    if (members_ == Members::Named || wanted.size() == got.size()) return std::nullopt;
    for (const auto& [name, value] : got.items())
      if (!wanted.contains(name)) return JsonDifference{join_pointer(pointer, name), nullptr, &value};
    return std::nullopt;
  }

  std::optional<JsonDifference> arrays(const Json& wanted, const Json& got, const std::string& pointer) const {
    const std::size_t both = std::min(wanted.size(), got.size());
    for (std::size_t i = 0; i < both; ++i)
      if (auto difference = values(wanted[i], got[i], join_pointer(pointer, i))) return difference;
    if (wanted.size() == got.size()) return std::nullopt;
    return JsonDifference{join_pointer(pointer, both), both < wanted.size() ? &wanted[both] : nullptr,
                          both < got.size() ? &got[both] : nullptr};
  }

  Members members_;
};

using Wide = unsigned __int128;

// Returns 10^steps modulo `modulus`, with one iteration for each bit of `steps`.
std::uint64_t power_of_ten(std::int64_t steps, std::uint64_t modulus) {
  Wide result = 1 % modulus, square = 10 % modulus;
  for (; steps > 0; steps >>= 1) {
    if ((steps & 1) != 0) result = result * square % modulus;
    square = square * square % modulus;
  }
  return static_cast<std::uint64_t>(result);
}

}  // namespace

int compare_json(const Json& a, const Json& b) {
  const int left = rank_of(a), right = rank_of(b);
  if (left != right) return order_of(left, right);
  switch (left) {
    case 0:
      return 0;
    case 1:
      return order_of(a.get<bool>(), b.get<bool>());
    case 2:
      return compare_numbers(a, b);
    case 3:
      return a.get_ref<const std::string&>().compare(b.get_ref<const std::string&>());
    case 4:
      return compare_arrays(a, b);
    default:
      return compare_objects(a, b);
  }
}

std::optional<JsonDifference> first_difference(const Json& wanted, const Json& got, Members members) {
  return Search(members).values(wanted, got, "");
}

bool is_multiple_of(const Json& value, const Json& divisor) {
  const Decimal v = decimal_of(value), d = decimal_of(divisor);
  if (v.digits.empty()) return true;
  if (d.digits.empty() || d.digits.size() > kMaxDivisorDigits) return false;
  const std::int64_t steps = v.exponent - d.exponent;
  if (steps < 0) return false;  // the quotient would need 10^-steps to divide v.digits, which has no trailing zero
  std::uint64_t modulus = 0;
  for (const char digit : d.digits) modulus = modulus * 10 + static_cast<std::uint64_t>(digit - '0');
  if (modulus == 0) return false;  // cannot happen (the digits are not all zero); for clang-analyzer
  Wide rest = 0;
  for (const char digit : v.digits) rest = (rest * 10 + static_cast<Wide>(digit - '0')) % modulus;
  return rest * power_of_ten(steps, modulus) % modulus == 0;
}

bool is_integral(const Json& number) {
  if (number.is_number_float()) return std::trunc(number.get<double>()) == number.get<double>();
  return number.is_number_integer() || decimal_of(number).exponent >= 0;
}

std::optional<std::pair<std::size_t, std::size_t>> equal_items(const Json& array) {
  std::vector<std::size_t> sorted(array.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = i;
  std::sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
    const int order = compare_json(array[a], array[b]);
    return order != 0 ? order < 0 : a < b;
  });
  std::optional<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if ((!found || sorted[i] < found->second) && equal_json(array[sorted[i - 1]], array[sorted[i]]))
      found = {sorted[i - 1], sorted[i]};
  return found;
}

}  // namespace band
