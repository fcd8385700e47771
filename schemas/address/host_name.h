// What a host name is, in the one spelling that names are compared in. Pure.
#pragma once

#include <string>
#include <string_view>

#include "schemas/core/result.h"

namespace band {

// Lower case, A-labels (`bücher.example` is `xn--bcher-kva.example`), without the trailing dot. Refused: what is longer
// than a name (253) or a label (63) may be, empty labels, any byte but letters, digits, `-` and `_`, and what a
// resolver takes for a number (`127.1`, `0x7f.1`, `2130706433`, and addresses themselves). The error's message says
// what is wrong with the name ("has an empty label") without repeating it; Code::BadRequest.
Result<std::string> canonical_name(std::string_view bytes);

}  // namespace band
