#include "schemas/address/host_name.h"

#include <idn2.h>

#include <algorithm>

#include "schemas/core/utf8.h"

namespace band {
namespace {

constexpr std::size_t kMaxNameBytes = 253;  // as text (RFC 1035 section 2.3.4)
constexpr std::size_t kMaxLabelBytes = 63;
constexpr std::size_t kMaxGivenBytes = 1024;  // a name in UTF-8 can be a few times as long as in punycode

Error bad_name(const std::string& what, const std::string& hint) {
  return Error{.code = Code::BadRequest, .doing = what, .hint = hint};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

// Returns whether a resolver parses this as an address (inet_aton(3): one to four decimal, octal or hexadecimal parts).
bool looks_numeric(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
  if (last.substr(0, 2) == "0x") return true;
  return !last.empty() && std::all_of(last.begin(), last.end(), is_digit);
}

Result<std::string> to_ascii(std::string_view bytes) {
  const bool plain =
      std::all_of(bytes.begin(), bytes.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  std::string name(bytes);
  if (plain) {
    for (char& c : name)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return name;
  }
  if (!is_valid_utf8(bytes)) return bad_name("is not UTF-8", "save the file as UTF-8");
  char* ascii = nullptr;
  // Browsers and curl use non-transitional UTS 46, too.
  const int rc = ::idn2_to_ascii_8z(name.c_str(), &ascii, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
  if (rc != IDN2_OK)
    return bad_name(std::string("is not a valid internationalised name: ") + ::idn2_strerror(rc),
                    "write the name's `xn--` form");
  name = ascii;
  ::idn2_free(ascii);
  return name;
}

Status check_label(std::string_view label) {
  if (label.empty()) return bad_name("has an empty label", "remove the extra dot");
  if (label.size() > kMaxLabelBytes) return bad_name("has a label of more than 63 characters", "shorten it");
  if (label.front() == '-' || label.back() == '-')
    return bad_name("has a label that begins or ends with `-`", "remove the `-`");
  for (const char c : label) {
    if (c == '*')
      return bad_name("has a `*` that is not the first label", "write `*.example.com`, or one entry for each name");
    if (!is_letter(c) && !is_digit(c) && c != '-' && c != '_')
      return bad_name(std::string("has a character that a host name cannot have: `") + c + "`",
                      "write a host, as in `api.example.com`, `*.example.com:8443` or `192.0.2.0/24`");
  }
  return done();
}

Status check_name(std::string_view name) {
  if (name.empty()) return bad_name("has no host", "name one, as in `api.example.com`");
  if (name.size() > kMaxNameBytes) return bad_name("has a name of more than 253 characters", "shorten it");
  if (looks_numeric(name))
    return bad_name("is not an IPv4 address", "write four decimal numbers, as in `192.0.2.1`, or `192.0.2.0/24`");
  for (std::size_t start = 0, dot = 0; dot != std::string_view::npos; start = dot + 1) {
    dot = name.find('.', start);
    BAND_CHECK(check_label(name.substr(start, dot == std::string_view::npos ? dot : dot - start)));
  }
  return done();
}

}  // namespace

Result<std::string> canonical_name(std::string_view bytes) {
  if (bytes.size() > kMaxGivenBytes) return bad_name("has a name of more than 253 characters", "shorten it");
  // libidn2 reads only up to a NUL byte: it would convert `bücher.example\0.evil.com` to the name before the NUL.
  if (bytes.find('\0') != std::string_view::npos)
    return bad_name("has a NUL byte, a character that a host name cannot have",
                    "write a host, as in `api.example.com`");
  BAND_TRY(std::string name, to_ascii(bytes));
  if (!name.empty() && name.back() == '.') name.pop_back();
  BAND_CHECK(check_name(name));
  return name;
}

}  // namespace band
