// Parses the head of a request strictly, before cpp-httplib (the HTTP library that serve.cc uses) receives a byte of
// it. Pure.
//
// Intentionally stricter than RFC 9112: a head that two parsers could interpret differently is refused, not repaired.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "schemas/core/result.h"
#include "server/http1/fields.h"

namespace band::http {

inline constexpr std::size_t kMaxHeadBytes = 16 << 10;  // request line and headers; the band client sends less than 500
inline constexpr std::size_t kMaxHeaders = 64;

// An error answer. The connection is always closed after the answer.
struct Refusal {
  int status = 400;
  Error error;
  std::string allow;    // for 405: the methods that the path accepts
  int retry_after = 0;  // seconds; 0: no Retry-After header
};
Refusal refusal(int status, Code code, std::string message, std::string hint);

struct Head : http1::Lines {
  std::string method;
  std::string path;   // as sent, without percent-decoding
  std::string query;  // after the '?'
  bool has_query = false;
};

// `text` includes the empty line that ends a head. The statuses of a Refusal are 400, 431 (too many headers) and 505
// (not HTTP/1.1).
std::variant<Head, Refusal> parse_head(std::string_view text);

}  // namespace band::http
