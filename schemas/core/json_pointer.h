// JSON pointers (RFC 6901), such as "/allow/read/0". In the name of a member, a slash is written `~1` and a tilde `~0`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/json_fwd.h"

namespace band {

// Append "/" and the escaped name of a member, or the index of an item.
void append_pointer_token(std::string& pointer, std::string_view token);
std::string join_pointer(std::string pointer, std::string_view key);
std::string join_pointer(std::string pointer, std::size_t index);

// Splits a pointer. Returns nullopt for a malformed pointer: a pointer that is not empty and does not begin with a
// slash, or that has a `~` that is not followed by 0 or 1.
std::optional<std::vector<std::string>> pointer_tokens(std::string_view pointer);

// Returns the value at the place that `tokens` name; nullptr when `document` has no such place. The token of an item of
// an array is its decimal index without leading zeros.
const Json* value_at(const Json& document, const std::vector<std::string>& tokens);

inline constexpr std::size_t kMostShownPointer = 512;  // bytes
// Returns the pointer for messages: escaped (json_text.h), with "..." for the middle of a pointer that is longer than
// kMostShownPointer.
std::string shown_pointer(std::string_view pointer);
// Returns the pointer for messages in another form: "allow.read[0]" for "/allow/read/0"; "" for "".
std::string readable_pointer(std::string_view pointer);

}  // namespace band
