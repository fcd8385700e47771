// Host names: their check and the canonical spelling in which names are compared. Pure.
#pragma once

#include <string>
#include <string_view>

#include "schemas/core/result.h"

namespace band {

// Returns the name in lower case, with A-labels (`bücher.example` is `xn--bcher-kva.example`) and without the trailing
// dot. Refused with Code::BadRequest: names of more than 253 and labels of more than 63 bytes, empty labels, bytes
// other than letters, digits, `-` and `_`, addresses, and names that a resolver parses as an address (`127.1`,
// `0x7f.1`, `2130706433`). The error message describes the problem ("has an empty label") without repeating the name.
Result<std::string> canonical_name(std::string_view bytes);

}  // namespace band
