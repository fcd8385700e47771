// Parses JSON as in RFC 8259. Refuses some texts that RFC 8259 allows, such as duplicate keys, because an attacker
// could exploit them. Only json_parse.cc calls the parser of nlohmann/json and catches the library's exceptions.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/json_fwd.h"
#include "schemas/core/result.h"

namespace band {

inline constexpr int kMaxJsonDepth =
    256;  // levels of arrays and objects; limited because nlohmann's dump() recurses once for each level
// Each scalar, array and object is one value. The number of values is limited because a value with two or three bytes
// of text needs up to 100 bytes of memory: 90 MiB of `[],[],...` would need 2 GB. A million values need about as much
// memory as the largest text (kMaxBodyBytes).
inline constexpr std::size_t kMaxJsonValues = 1'000'000;

struct JsonBounds {
  int depth = kMaxJsonDepth;
  std::size_t values = kMaxJsonValues;
};
// Returns the bounds for a message in which a value within the bounds above is nested in `wraps` objects. The message
// itself can have 500,000 further values: five for each of 20,000 files, and the rest for ledger, rules, configuration.
constexpr JsonBounds message_bounds(int wraps) { return {kMaxJsonDepth + wraps, kMaxJsonValues + 500'000}; }

// Parses one complete JSON text. Errors (Code::BadRequest, with line and column in the message): the text is not JSON
// of RFC 8259; it has more levels or values than `bounds`, invalid UTF-8, a duplicate key (the message has the key's
// JSON pointer), bytes after the value, or a number beyond kMaxNumberBytes or kMaxExponent. `what` names the text in
// messages ("input", "output.json"). Numbers keep their text (json_number.h): dump_json() writes them as they were
// read.
Result<Json> parse_json(std::string_view text, std::string_view what, JsonBounds bounds = {});

// The parts of a message that can be almost as large as the message itself. parse_json_parts() checks them as
// parse_json() does, but returns them as parts of the text instead of values, which would be copies.
struct JsonParts {
  std::span<const std::string_view> members;  // the values of these members of the outermost object
  // The value of the member `string` of each object in the arrays `lists`, which are members of the outermost object;
  // only if it is a string of 200 bytes or more without escapes and non-ASCII characters.
  std::span<const std::string_view> lists;
  std::string_view string;
};
struct JsonWithParts {
  Json value;                           // has a value of json_part() in the place of each part
  std::vector<std::string_view> parts;  // JSON texts within the parsed text; strings are without their quotes
};
Result<JsonWithParts> parse_json_parts(std::string_view text, std::string_view what, JsonBounds bounds,
                                       const JsonParts& wanted);
// Returns the index in JsonWithParts::parts; nullopt when `value` is not in the place of a part.
std::optional<std::size_t> json_part(const Json& value);

// A value that consists of its JSON text, which parse_json() has accepted. dump_json() and json_size() use this text,
// and text_of() returns it. All other functions treat the value as a number (json_number.h).
Json json_of_text(std::string_view text);

// The reason why parse_json() refuses a text. Use why_not_json() if you need the position as numbers; parse_json()
// has the position only in the text of its message.
struct JsonRefusal {
  std::size_t line = 1, column = 1;  // counted from 1; the column in bytes
  std::string problem, hint;
};
// Returns nullopt if parse_json() accepts the text.
std::optional<JsonRefusal> why_not_json(std::string_view text, JsonBounds bounds = {});

// Returns an empty object with capacity for `members` members. An object that grows beyond its capacity copies all its
// members, also long strings, because their keys are const.
Json object_for(std::size_t members);

// Returns "null", "boolean", "integer", "number", "string", "array" or "object".
std::string_view json_type_name(const Json& value);

std::string base64_encode(std::string_view bytes);         // RFC 4648 section 4, with padding, on one line
Result<std::string> base64_decode(std::string_view text);  // refuses white space, and text without padding

}  // namespace band
