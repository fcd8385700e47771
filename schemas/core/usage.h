// The error of a wrong command line, with a hint how to correct it.
#pragma once

#include <string>
#include <utility>

#include "schemas/core/result.h"

namespace band {

inline Error usage(std::string doing, std::string hint) {
  return Error{.code = Code::Usage, .doing = std::move(doing), .hint = std::move(hint)};
}

}  // namespace band
