// JSON pointers (RFC 6901): "/allow/read/0", with `~1` for a slash and `~0` for a tilde in a member's name.
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

// None when `pointer` is malformed: it begins with something else than a slash, or has a `~` before another character
// than 0 and 1.
std::optional<std::vector<std::string>> pointer_tokens(std::string_view pointer);

// None when nothing is there. An item is named by its decimal index, without leading zeros.
const Json* value_at(const Json& document, const std::vector<std::string>& tokens);

inline constexpr std::size_t kMostShownPointer = 512;  // bytes
// For people: escaped (json_text.h); the middle of one that is longer is left out.
std::string shown_pointer(std::string_view pointer);
// For people, as they write it: "/allow/read/0" -> "allow.read[0]"; "" stays.
std::string readable_pointer(std::string_view pointer);

}  // namespace band
