#include "schemas/core/json_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "schemas/core/json.h"

namespace band {
namespace {

std::string_view take_digits(std::string_view& text) {
  const std::size_t size = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view digits = text.substr(0, size);
  text.remove_prefix(size);
  return digits;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

std::int64_t bounded(std::string_view digits) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  std::int64_t value = 0;
  for (const char digit : digits) {
    value = value * 10 + (digit - '0');
    if (value > kMaxExponent) return kMaxExponent + 1;
  }
  return value;
}

Decimal decimal_of(const NumberParts& parts) {
  Decimal decimal{parts.negative, std::string(parts.whole), parts.exponent};
  decimal.digits += parts.fraction;
  decimal.exponent -= static_cast<std::int64_t>(parts.fraction.size());
  const std::size_t last = decimal.digits.find_last_not_of('0');
  if (last == std::string::npos) return {};
  decimal.exponent += static_cast<std::int64_t>(decimal.digits.size() - last - 1);
  decimal.digits.resize(last + 1);
  decimal.digits.erase(0, decimal.digits.find_first_not_of('0'));
  return decimal;
}

}  // namespace

bool is_number(const Json& value) { return value.is_number() || value.is_binary(); }

double nearest_double(const Json& number) {
  const auto text = text_of(number);
  return text ? std::strtod(std::string(*text).c_str(), nullptr) : number.get<double>();
}

std::optional<NumberParts> number_parts(std::string_view text) {
  NumberParts parts;
  parts.negative = take(text, "-");
  parts.whole = take_digits(text);
  if (parts.whole.empty() || (parts.whole.size() > 1 && parts.whole.front() == '0')) return std::nullopt;
  if (take(text, ".")) {
    parts.fraction = take_digits(text);
    if (parts.fraction.empty()) return std::nullopt;
  }
  if (take(text, "eE")) {
    const bool down = text.starts_with('-');
    take(text, "+-");
    const std::string_view digits = take_digits(text);
    if (digits.empty()) return std::nullopt;
    parts.exponent = down ? -bounded(digits) : bounded(digits);
  }
  if (!text.empty()) return std::nullopt;
  return parts;
}

Json number_with_text(std::string_view text) { return Json::binary({text.begin(), text.end()}); }

std::optional<std::string_view> text_of(const Json& value) {
  if (!value.is_binary()) return std::nullopt;
  const Json::binary_t& bytes = value.get_binary();
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Decimal decimal_of(const Json& number) {
  if (const auto text = text_of(number)) {
    const auto parts = number_parts(*text);
    return parts ? decimal_of(*parts) : Decimal{};
  }
  // The fixed form would print a large integral double exactly, possibly with more digits than needed to denote it.
  constexpr std::chars_format kShortest = std::chars_format::scientific;
  char text[64];
  const auto end = number.is_number_float() ? std::to_chars(text, text + sizeof text, number.get<double>(), kShortest)
                   : number.is_number_unsigned() ? std::to_chars(text, text + sizeof text, number.get<std::uint64_t>())
                                                 : std::to_chars(text, text + sizeof text, number.get<std::int64_t>());
  const auto parts = number_parts({text, static_cast<std::size_t>(end.ptr - text)});
  return parts ? decimal_of(*parts) : Decimal{};
}

int compare(const Decimal& a, const Decimal& b) {
  if (a.digits.empty() || b.digits.empty()) {
    if (a.digits.empty() && b.digits.empty()) return 0;
    return a.digits.empty() ? (b.negative ? 1 : -1) : (a.negative ? -1 : 1);
  }
  if (a.negative != b.negative) return a.negative ? -1 : 1;
  // Compare the powers of ten of the first digits, then the digits.
  const std::int64_t a_first = a.exponent + static_cast<std::int64_t>(a.digits.size());
  const std::int64_t b_first = b.exponent + static_cast<std::int64_t>(b.digits.size());
  const int order = a_first != b_first ? (a_first < b_first ? -1 : 1) : a.digits.compare(b.digits);
  return a.negative ? -order : order;
}

}  // namespace band
