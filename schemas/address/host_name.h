// Checks host names and converts them to the canonical form, in which band compares names. Pure.
#pragma once

#include <string>
#include <string_view>

#include "schemas/core/result.h"

namespace band {

// Returns the name in lower case, without a trailing dot, and with each label that is not ASCII in its ASCII form
// (`bücher.example` becomes `xn--bcher-kva.example`). Returns Code::BadRequest for a name of more than 253 bytes, a
// label that is empty or has more than 63 bytes, bytes other than letters, digits, `-` and `_`, an address, and a name
// that resolvers read as an address (`127.1`, `0x7f.1`, `2130706433`). The error message describes the problem ("has an
// empty label") without repeating the name.
Result<std::string> canonical_name(std::string_view bytes);

}  // namespace band
