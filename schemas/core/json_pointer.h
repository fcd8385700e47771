// JSON pointers (RFC 6901): "/allow/read/0"; `~1` is a slash and `~0` a tilde in a member's name.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/json_fwd.h"

namespace band {

void append_pointer_token(std::string& pointer, std::string_view token);
std::string join_pointer(std::string pointer, std::string_view key);
std::string join_pointer(std::string pointer, std::size_t index);

// Returns nullopt when `pointer` is malformed: it is not empty and does not begin with a slash, or it has a `~` that is
// not followed by 0 or 1.
std::optional<std::vector<std::string>> pointer_tokens(std::string_view pointer);

// Returns null when `document` has no value at this place. Items are named by decimal indexes without leading zeros.
const Json* value_at(const Json& document, const std::vector<std::string>& tokens);

inline constexpr std::size_t kMostShownPointer = 512;  // bytes
// For messages: escaped (json_text.h); the middle of a longer pointer is replaced by "...".
std::string shown_pointer(std::string_view pointer);
// For messages: "/allow/read/0" as "allow.read[0]"; "" stays "".
std::string readable_pointer(std::string_view pointer);

}  // namespace band
