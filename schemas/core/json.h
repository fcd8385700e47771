// JSON as band accepts it: RFC 8259, and stricter where a parser's leniency would be somebody's way in.
// The only place that calls nlohmann's parser; its exceptions stop here.
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
// Scalars, arrays and objects, each counted. A value of two or three bytes costs up to 100 in memory, so that 90 MiB of
// `[],[],...` would take 2 GB; a million takes about what the largest text takes anyway.
inline constexpr std::size_t kMaxJsonValues = 1'000'000;

struct JsonBounds {
  int depth = kMaxJsonDepth;
  std::size_t values = kMaxJsonValues;
};
// A message puts `wraps` objects around its caller's value, and values of its own beside it: five for each of 20,000
// files, as many for the ledger, the rules, the band's configuration.
constexpr JsonBounds message_bounds(int wraps) { return {kMaxJsonDepth + wraps, kMaxJsonValues + 500'000}; }

// Parses one complete JSON text. Refused with Code::BadRequest and a message that gives line and column: anything
// that is not RFC 8259, more levels or values than `bounds`, invalid UTF-8, a duplicate key (by JSON pointer), bytes
// behind the value, a number beyond kMaxNumberBytes or kMaxExponent. `what` names the text in messages ("input",
// "output.json"). dump_json() writes each number as it was read: json_number.h has how, and what to ask of a number.
Result<Json> parse_json(std::string_view text, std::string_view what, JsonBounds bounds = {});

// Why parse_json() refuses a text, for who shows the place by itself: the same without `what`, line and column in it.
struct JsonRefusal {
  std::size_t line = 1, column = 1;  // from 1; the column counts bytes
  std::string problem, hint;
};
std::optional<JsonRefusal> why_not_json(std::string_view text, JsonBounds bounds = {});

std::string_view json_type_name(const Json& value);  // "null" "boolean" "integer" "number" "string" "array" "object"

std::string base64_encode(std::string_view bytes);         // RFC 4648 section 4, padded, one line
Result<std::string> base64_decode(std::string_view text);  // strict: padding required, no white space

}  // namespace band
