// The error for a wrong command line of a program of band.
#pragma once

#include <string>
#include <utility>

#include "schemas/core/result.h"

namespace band {

// `doing` is the problem, `hint` describes how to correct the command line.
inline Error usage(std::string doing, std::string hint) {
  return Error{.code = Code::Usage, .doing = std::move(doing), .hint = std::move(hint)};
}

}  // namespace band
