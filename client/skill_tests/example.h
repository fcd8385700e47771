// An example of a test file (a *.yaml file in tests/ of a skill), for a script that has no tests. Pure.
#pragma once

#include <string>

#include "client/skills/skills.h"

namespace band::client {

// Returns the text of the file. The input in it has all required properties of the script's input schema, each with a
// value of the property's type.
std::string example_tests(const Script& script);

}  // namespace band::client
