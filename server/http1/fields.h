// The strict grammar of an HTTP/1 head: input that two parsers could read differently is an error. Pure. The callers
// (server/http, server/gateway) interpret the first line and the fields.
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
std::string_view trimmed(std::string_view text);  // without leading and trailing blanks and tabs

bool is_token_char(unsigned char c);  // RFC 9110 tchar
bool is_token(std::string_view text);

using Field = std::pair<std::string, std::string>;  // name in lower case, value without blanks around it

// `line` has no CR LF. Returns nullopt when `line` is not NAME: VALUE, begins with white space (a folded line), has a
// space before the colon, or has a control character (some parsers end a line at a lone CR or LF, others do not). A
// value may contain bytes over 0x7f (obs-text).
std::optional<Field> read_field(std::string_view line);

// Returns the elements of a comma-separated value, in lower case, without their parameters (";NAME=VALUE").
std::vector<std::string> elements(std::string_view list);

// Returns nullopt when `value` is not 1 to 18 digits.
std::optional<std::uint64_t> read_content_length(std::string_view value);

struct Lines {
  std::string first;  // the request line or status line
  std::vector<Field> fields;

  // The value of the first field of this name, which must be in lower case; nullptr when there is none.
  const std::string* find(std::string_view lower_name) const;
  std::size_t count(std::string_view lower_name) const;  // number of fields of this name
};
struct BadLines {
  bool too_many = false;  // too many fields
  std::string what;       // the error as text
};

// `text` must end with the empty line that ends a head.
std::variant<Lines, BadLines> read_lines(std::string_view text, std::size_t max_fields);

}  // namespace band::http1
