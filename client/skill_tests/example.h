// A first file of tests/ for a script without tests. Pure.
#pragma once

#include <string>

#include "client/skills/skills.h"

namespace band::client {

// The input has the required properties of the script's schema, with values of their types.
std::string example_tests(const Script& script);

}  // namespace band::client
