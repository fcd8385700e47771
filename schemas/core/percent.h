// Decodes percent-encoding ("%20") in URLs and in references of JSON Schema (RFC 3986 section 2.1). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace band {

// Returns the decoded bytes; nullopt when a `%` is not followed by two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace band
