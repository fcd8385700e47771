// The grammar of an HTTP/1 head, strictly: what two parsers could read in two ways is an error. Pure. What the first
// line and the fields mean is the business of who reads them (server/http, server/gateway).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace band::http1 {

std::string lower(std::string_view text);         // ASCII
std::string_view trimmed(std::string_view text);  // without blanks and tabs around it

bool is_token_char(unsigned char c);  // RFC 9110 tchar
bool is_token(std::string_view text);

using Field = std::pair<std::string, std::string>;  // name in lower case, value without blanks around it

// `line` is without its CR LF. nullopt: not NAME: VALUE; also a folded line, a space in front of the colon, a control
// character (a lone CR or LF ends a line for some parsers and not for others). Bytes over 0x7f may be in a value
// (obs-text).
std::optional<Field> read_field(std::string_view line);

// The elements of a comma-separated value, in lower case, without parameters.
std::vector<std::string> elements(std::string_view list);

// Digits only, at most 18; nullopt: anything else.
std::optional<std::uint64_t> read_content_length(std::string_view value);

struct Lines {
  std::string first;
  std::vector<Field> fields;

  const std::string* find(std::string_view lower_name) const;
  std::size_t count(std::string_view lower_name) const;
};
struct BadLines {
  bool too_many = false;  // fields
  std::string what;
};

// `text` ends with the empty line that ends a head.
std::variant<Lines, BadLines> read_lines(std::string_view text, std::size_t max_fields);

}  // namespace band::http1
