// JSON values in messages: short, on one line, and escaped for terminals.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schemas/core/json_fwd.h"

namespace band {

// Returns the text with control characters (C0, DEL, C1, line and paragraph separators, bidirectional overrides) as \n,
// \t or \u001b, and invalid UTF-8 as U+FFFD. All other characters are unchanged.
std::string escaped(std::string_view text);

// Returns `text` in quotes, escaped; after `limit` characters it is cut and "..." appended.
std::string shown_string(std::string_view text, std::size_t limit = 60);
// Returns compact JSON of at most about `limit` characters. The cost depends on the output, not on the size of `value`.
std::string shown_value(const Json& value, std::size_t limit = 60);
// "integer 5", "string \"abc\"", "array of 3 items", "object with 2 members", "null"
std::string shown_with_type(const Json& value);

// Returns whether parse_json() accepts `text`.
bool is_json(std::string_view text);
// Returns the text of a string; nullopt for other types.
std::optional<std::string> text_of_string(const Json& value);

// Returns a JSON array of the strings.
std::string json_list(const std::vector<std::string>& strings);

// Compact JSON; `values` and `members` are JSON texts. For files that write small objects without including the JSON
// library.
std::string json_string(std::string_view text);
std::string json_array(const std::vector<std::string>& values);
std::string json_object(const std::vector<std::pair<std::string_view, std::string>>& members);

}  // namespace band
