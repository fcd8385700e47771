// The JSON that band accepts: RFC 8259, and stricter where leniency of a parser could be exploited.
// No other file calls nlohmann's parser; its exceptions are caught here.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "schemas/core/json_fwd.h"
#include "schemas/core/result.h"

namespace band {

inline constexpr int kMaxJsonDepth = 256;  // levels of arrays and objects; nlohmann's dump() recurses
// Scalars, arrays and objects each count as one value. A value of two or three bytes of text needs up to 100 bytes of
// memory: 90 MiB of `[],[],...` would need 2 GB. A million values need about as much memory as the largest text.
inline constexpr std::size_t kMaxJsonValues = 1'000'000;

struct JsonBounds {
  int depth = kMaxJsonDepth;
  std::size_t values = kMaxJsonValues;
};
// The bounds of a message, which nests its caller's value in `wraps` objects and adds values of its own: five for each
// of 20,000 files, and as many for the ledger, the rules and the band's configuration.
constexpr JsonBounds message_bounds(int wraps) { return {kMaxJsonDepth + wraps, kMaxJsonValues + 500'000}; }

// Parses one complete JSON text. Refused with Code::BadRequest and a message with line and column: text that is not
// RFC 8259, more levels or values than `bounds`, invalid UTF-8, a duplicate key (named by its JSON pointer), bytes
// after the value, a number beyond kMaxNumberBytes or kMaxExponent. `what` names the text in messages ("input",
// "output.json"). dump_json() writes each number as it was read; json_number.h has the functions for numbers.
Result<Json> parse_json(std::string_view text, std::string_view what, JsonBounds bounds = {});

// Why parse_json() refuses a text, with the position as numbers: for callers that print the position themselves.
struct JsonRefusal {
  std::size_t line = 1, column = 1;  // from 1; the column counts bytes
  std::string problem, hint;
};
std::optional<JsonRefusal> why_not_json(std::string_view text, JsonBounds bounds = {});

std::string_view json_type_name(const Json& value);  // "null" "boolean" "integer" "number" "string" "array" "object"

std::string base64_encode(std::string_view bytes);         // RFC 4648 section 4, padded, one line
Result<std::string> base64_decode(std::string_view text);  // strict: padding required, no white space

}  // namespace band
