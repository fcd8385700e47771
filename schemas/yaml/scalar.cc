#include "schemas/yaml/scalar.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "schemas/core/json.h"

namespace band {
namespace {

bool one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words)
    if (text == word) return true;
  return false;
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  return at;
}

std::size_t skip_sign(std::string_view text, std::size_t at) {
  return at < text.size() && (text[at] == '-' || text[at] == '+') ? at + 1 : at;
}

// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool is_float(std::string_view text) {
  std::size_t at = skip_sign(text, 0);
  const std::size_t whole = skip_digits(text, at);
  bool digits = whole > at;
  at = whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = skip_digits(text, at + 1);
    digits = digits || fraction > at + 1;
    at = fraction;
  }
  if (!digits) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const std::size_t from = skip_sign(text, at + 1);
    at = skip_digits(text, from);
    if (at == from) return false;
  }
  return at == text.size();
}

Json whole_number(std::string_view digits, int base, std::string& problem) {
  if (!digits.empty() && digits[0] == '+') digits.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (error == std::errc{} && end == digits.data() + digits.size()) return number;
  problem = "a number too large for 64 bits";
  return std::string(digits);
}

bool is_based(std::string_view text, std::string_view prefix, std::string_view digits) {
  return text.size() > 2 && text.substr(0, 2) == prefix && text.find_first_not_of(digits, 2) == std::string_view::npos;
}

}  // namespace

Json plain_scalar(const std::string& text, std::string& problem) {
  if (one_of(text, {"", "~", "null", "Null", "NULL"})) return nullptr;
  if (one_of(text, {"true", "True", "TRUE"})) return true;
  if (one_of(text, {"false", "False", "FALSE"})) return false;
  const std::size_t sign = skip_sign(text, 0);
  if (sign < text.size() && skip_digits(text, sign) == text.size()) return whole_number(text, 10, problem);
  if (is_based(text, "0o", "01234567")) return whole_number(std::string_view(text).substr(2), 8, problem);
  if (is_based(text, "0x", "0123456789abcdefABCDEF"))
    return whole_number(std::string_view(text).substr(2), 16, problem);
  if (is_float(text)) {
    const double number = std::strtod(text.c_str(), nullptr);  // the C locale: band never sets another
    if (std::isfinite(number)) return number;
    problem = "a number too large for a double";
    return text;
  }
  const std::string_view rest = std::string_view(text).substr(sign);
  if (one_of(rest, {".inf", ".Inf", ".INF"}) || one_of(text, {".nan", ".NaN", ".NAN"})) {
    problem = "a number that JSON does not have: `" + text + "`";
    return text;
  }
  return text;
}

}  // namespace band
