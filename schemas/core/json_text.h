// JSON values as text for messages: cut, on one line, and escaped for terminals.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schemas/core/json_fwd.h"

namespace band {

// Returns the text with escapes (\n, \t, \u001b) for control characters (C0, DEL, C1, line and paragraph separators,
// bidirectional overrides) and with U+FFFD for invalid UTF-8. All other characters are unchanged.
std::string escaped(std::string_view text);

// Returns `text` escaped and in quotes. If `text` has more than `limit` characters, the further characters are replaced
// by "...".
std::string shown_string(std::string_view text, std::size_t limit = 60);
// Returns compact JSON, cut to about `limit` characters. The function's running time depends on `limit` and not on the
// size of `value`.
std::string shown_value(const Json& value, std::size_t limit = 60);
// Returns "integer 5", "string \"abc\"", "array of 3 items", "object with 2 members" or "null".
std::string shown_with_type(const Json& value);

// Returns whether parse_json() accepts `text`.
bool is_json(std::string_view text);
// Returns the text of a JSON string; nullopt for a value of another type.
std::optional<std::string> text_of_string(const Json& value);

// Returns the JSON text of an array of these strings.
std::string json_list(const std::vector<std::string>& strings);

// Return compact JSON text: a string, an array, an object. `values` and the second parts of `members` are JSON texts.
// Use these functions to write small objects without including the JSON library.
std::string json_string(std::string_view text);
std::string json_array(const std::vector<std::string>& values);
std::string json_object(const std::vector<std::pair<std::string_view, std::string>>& members);

}  // namespace band
