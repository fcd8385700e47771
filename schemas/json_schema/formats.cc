#include "schemas/json_schema/formats.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "schemas/json_schema/regular_expression.h"

namespace band {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

// Returns whether `text` has the form `shape`, in which 'd' is a digit and other characters are literal.
bool has_shape(std::string_view text, std::string_view shape) {
  return text.size() == shape.size() && std::equal(text.begin(), text.end(), shape.begin(),
                                                   [](char c, char s) { return s == 'd' ? is_digit(c) : c == s; });
}

int number_at(std::string_view text, std::size_t at, std::size_t digits) {
  int number = 0;
  for (const char c : text.substr(at, digits)) number = number * 10 + (c - '0');
  return number;
}

bool is_date(std::string_view text) {
  if (!has_shape(text, "dddd-dd-dd")) return false;
  const int year = number_at(text, 0, 4), month = number_at(text, 5, 2), day = number_at(text, 8, 2);
  if (month < 1 || month > 12) return false;
  constexpr std::array<int, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return day >= 1 && day <= kDays[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

// "hh:mm:ss[.fraction](Z|+hh:mm|-hh:mm)"
bool is_time(std::string_view text) {
  if (text.size() < 9 || !has_shape(text.substr(0, 8), "dd:dd:dd")) return false;
  if (number_at(text, 0, 2) > 23 || number_at(text, 3, 2) > 59 || number_at(text, 6, 2) > 60) return false;
  text.remove_prefix(8);
  if (text.front() == '.') {
    text.remove_prefix(1);
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0) return false;
    text.remove_prefix(digits);
  }
  if (text == "Z" || text == "z") return true;
  if (text.empty() || !is_one_of(text.front(), "+-") || !has_shape(text.substr(1), "dd:dd")) return false;
  return number_at(text, 1, 2) <= 23 && number_at(text, 4, 2) <= 59;
}

bool is_date_time(std::string_view text) {
  return text.size() > 11 && is_one_of(text[10], "Tt") && is_date(text.substr(0, 10)) && is_time(text.substr(11));
}

bool is_hostname(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  std::size_t label = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] != '.') {
      if (!is_letter(text[i]) && !is_digit(text[i]) && text[i] != '-') return false;
      continue;
    }
    if (i == label || i - label > 63 || text[label] == '-' || text[i - 1] == '-') return false;
    label = i + 1;
  }
  return true;
}

bool is_address(int family, std::string_view text) {
  unsigned char address[16];
  if (text.size() > 45 || text.find('\0') != std::string_view::npos) return false;
  return ::inet_pton(family, std::string(text).c_str(), address) == 1;
}

// A mailbox of RFC 5321, without quoted local parts.
bool is_email(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos || at == 0 || at > 64) return false;
  const std::string_view local = text.substr(0, at), domain = text.substr(at + 1);
  for (std::size_t i = 0; i < local.size(); ++i) {
    if (local[i] == '.' && (i == 0 || i + 1 == local.size() || local[i + 1] == '.')) return false;
    if (!is_letter(local[i]) && !is_digit(local[i]) && !is_one_of(local[i], ".!#$%&'*+-/=?^_`{|}~")) return false;
  }
  if (domain.starts_with('[') && domain.ends_with(']')) {
    const std::string_view address = domain.substr(1, domain.size() - 2);
    return is_address(AF_INET, address) || (address.starts_with("IPv6:") && is_address(AF_INET6, address.substr(5)));
  }
  return is_hostname(domain);
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;
    if (hyphen ? text[i] != '-' : !is_hex(text[i])) return false;
  }
  return true;
}

// Checks the characters of RFC 3986, complete percent escapes, and that there is at most one '#'.
bool is_uri_reference(std::string_view text) {
  bool fragment = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
    } else if (c == '#') {
      if (std::exchange(fragment, true)) return false;
    } else if (!is_letter(c) && !is_digit(c) && !is_one_of(c, "-._~:/?[]@!$&'()*+,;=")) {
      return false;
    }
  }
  // A first segment with a colon would be a scheme.
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || text.substr(0, colon).find_first_of("/?#") != std::string_view::npos)
    return true;
  return colon > 0 && is_letter(text[0]) &&
         std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon),
                     [](char c) { return is_letter(c) || is_digit(c) || is_one_of(c, "+-."); });
}

bool is_uri(std::string_view text) {
  const std::size_t colon = text.find_first_of(":/?#");
  return colon != std::string_view::npos && text[colon] == ':' && is_uri_reference(text);
}

bool is_json_pointer(std::string_view text) {
  if (!text.empty() && text.front() != '/') return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '~' && (i + 1 == text.size() || !is_one_of(text[i + 1], "01"))) return false;
  return true;
}

bool is_regex(std::string_view text) {
  constexpr std::size_t kLongest = 64 << 10;  // compiling costs more than matching
  return text.size() <= kLongest && compile_pattern(text).ok();
}

}  // namespace

bool matches_format(std::string_view format, std::string_view text) {
  if (format == "date") return is_date(text);
  if (format == "time") return is_time(text);
  if (format == "date-time") return is_date_time(text);
  if (format == "email") return is_email(text);
  if (format == "hostname") return is_hostname(text);
  if (format == "ipv4") return is_address(AF_INET, text);
  if (format == "ipv6") return is_address(AF_INET6, text);
  if (format == "uuid") return is_uuid(text);
  if (format == "uri") return is_uri(text);
  if (format == "uri-reference") return is_uri_reference(text);
  if (format == "json-pointer") return is_json_pointer(text);
  if (format == "regex") return is_regex(text);
  return true;
}

}  // namespace band
