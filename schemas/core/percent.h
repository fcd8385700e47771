// "%20" and the like in URLs and in references of JSON Schema (RFC 3986 section 2.1). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace band {

// The bytes that `text` means; nothing when a `%` has no two hexadecimal digits behind it.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace band
