// JSON values in messages: short, on one line, and harmless to a terminal.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schemas/core/json_fwd.h"

namespace band {

// Control characters (C0, DEL, C1, line and paragraph separators, bidirectional overrides) as \n, \t or \u001b;
// bytes that are no UTF-8 as U+FFFD. Nothing else is changed.
std::string escaped(std::string_view text);

// `text` in quotes, escaped, cut to `limit` characters and "...".
std::string shown_string(std::string_view text, std::size_t limit = 60);
// A value as compact JSON of at most about `limit` characters; never walks more of it than it shows.
std::string shown_value(const Json& value, std::size_t limit = 60);
// "integer 5", "string \"abc\"", "array of 3 items", "object with 2 members", "null"
std::string shown_with_type(const Json& value);

// Is it one complete JSON text, as parse_json() takes it?
bool is_json(std::string_view text);
// The text of a string; nothing of any other value.
std::optional<std::string> text_of_string(const Json& value);

// The strings as a JSON array.
std::string json_list(const std::vector<std::string>& strings);

// Compact JSON of parts that are JSON already: for who writes a small object and includes nothing of a JSON library.
std::string json_string(std::string_view text);
std::string json_array(const std::vector<std::string>& values);
std::string json_object(const std::vector<std::pair<std::string_view, std::string>>& members);

}  // namespace band
