// Checks host names and converts them to the canonical form, in which band compares names. Pure.
#pragma once

#include <string>
#include <string_view>

#include "schemas/core/result.h"

namespace band {

// Returns the name in lower case, without a trailing dot, and with each label that is not ASCII in its ASCII form
// (`bücher.example` becomes `xn--bcher-kva.example`). Errors (Code::BadRequest): the name has more than 253 bytes, an
// empty label, a label of more than 63 bytes or with `-` at its beginning or end, or a character other than a letter,
// digit, `-` or `_`; the name is not a valid internationalised name in UTF-8; the name is an address, or resolvers read
// the name as an address (`127.1`, `0x7f.1`, `2130706433`). The error message describes the problem ("has an empty
// label") without repeating the name.
Result<std::string> canonical_name(std::string_view bytes);

}  // namespace band
