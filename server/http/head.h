// The head of a request, parsed strictly before cpp-httplib sees a byte of it. Pure.
//
// Stricter than RFC 9112 on purpose: whatever two parsers could read in two ways is refused, not repaired.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "schemas/core/result.h"
#include "server/http1/fields.h"

namespace band::http {

inline constexpr std::size_t kMaxHeadBytes = 16 << 10;  // request line and headers; band's own are under 500 bytes
inline constexpr std::size_t kMaxHeaders = 64;

// An answer that is no. The connection is closed after it, always.
struct Refusal {
  int status = 400;
  Error error;
  std::string allow;    // for 405: the methods of that path
  int retry_after = 0;  // seconds; 0: none
};
Refusal refusal(int status, Code code, std::string message, std::string hint);

struct Head : http1::Lines {
  std::string method;
  std::string path;   // as sent, never percent-decoded
  std::string query;  // after the '?'
  bool has_query = false;
};

// `text` ends with the empty line that ends a head.
std::variant<Head, Refusal> parse_head(std::string_view text);

}  // namespace band::http
