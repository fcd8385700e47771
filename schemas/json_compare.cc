#include "schemas/json_compare.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

namespace band {
namespace {

template <class T>
int order_of(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

// An integer of either kind, as sign and magnitude.
struct Whole {
  bool negative;
  std::uint64_t magnitude;
};

Whole whole_of(const Json& integer) {
  if (integer.is_number_unsigned()) return {false, integer.get<std::uint64_t>()};
  const auto value = integer.get<std::int64_t>();
  // Negating as unsigned is defined for -2^63, too.
  return value < 0 ? Whole{true, 0 - static_cast<std::uint64_t>(value)}
                   : Whole{false, static_cast<std::uint64_t>(value)};
}

int compare_whole(const Whole& a, const Whole& b) {
  const bool a_negative = a.negative && a.magnitude != 0, b_negative = b.negative && b.magnitude != 0;
  if (a_negative != b_negative) return a_negative ? -1 : 1;
  return a_negative ? order_of(b.magnitude, a.magnitude) : order_of(a.magnitude, b.magnitude);
}

int compare_whole_with_double(const Whole& a, double b) {
  constexpr double kTwoTo64 = 18446744073709551616.0;
  if (b >= kTwoTo64) return -1;
  if (b <= -kTwoTo64) return 1;
  // Inside these bounds the whole part of b fits 64 bits exactly.
  const double whole = std::trunc(b);
  const int order = compare_whole(a, {whole < 0, static_cast<std::uint64_t>(std::fabs(whole))});
  return order != 0 ? order : order_of(whole, b);
}

int compare_numbers(const Json& a, const Json& b) {
  if (a.is_number_float() && b.is_number_float()) return order_of(a.get<double>(), b.get<double>());
  if (a.is_number_float()) return -compare_whole_with_double(whole_of(b), a.get<double>());
  if (b.is_number_float()) return compare_whole_with_double(whole_of(a), b.get<double>());
  return compare_whole(whole_of(a), whole_of(b));
}

int rank_of(const Json& value) {
  if (value.is_null()) return 0;
  if (value.is_boolean()) return 1;
  if (value.is_number()) return 2;
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

// digits * 10^exponent
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};

Decimal decimal_of(const Json& number) {
  Decimal decimal;
  if (!number.is_number_float()) {
    decimal.digits = whole_of(number).magnitude;
  } else {
    // The shortest text that reads back as this double: d.ddde+-xx, at most 17 digits.
    char text[64];
    const auto end =
        std::to_chars(text, text + sizeof text, std::fabs(number.get<double>()), std::chars_format::scientific);
    const std::string_view all(text, static_cast<std::size_t>(end.ptr - text));
    const std::size_t e = all.find('e');
    bool fraction = false;
    for (const char c : all.substr(0, e)) {
      if (c == '.') {
        fraction = true;
        continue;
      }
      decimal.digits = decimal.digits * 10 + static_cast<std::uint64_t>(c - '0');
      if (fraction) --decimal.exponent;
    }
    int shift = 0;
    const std::size_t sign = all[e + 1] == '+' ? 1 : 0;  // from_chars takes a minus only
    std::from_chars(all.data() + e + 1 + sign, all.data() + all.size(), shift);
    decimal.exponent += shift;
  }
  while (decimal.digits != 0 && decimal.digits % 10 == 0) {
    decimal.digits /= 10;
    ++decimal.exponent;
  }
  return decimal;
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

bool is_multiple_of(const Json& value, const Json& divisor) {
  const Decimal v = decimal_of(value), d = decimal_of(divisor);
  if (v.digits == 0) return true;
  if (d.digits == 0) return false;
  int steps = v.exponent - d.exponent;
  if (steps < 0) return false;  // the quotient would need 10^-steps to divide v.digits, which has no trailing zero
  unsigned __int128 rest = v.digits % d.digits;  // at most 617 steps: doubles span 10^-324 to 10^308
  for (; steps > 0 && rest != 0; --steps) rest = rest * 10 % d.digits;
  return rest == 0;
}

bool is_integral(const Json& number) {
  return number.is_number_integer() ||
         (number.is_number_float() && std::trunc(number.get<double>()) == number.get<double>());
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
