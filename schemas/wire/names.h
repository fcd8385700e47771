// What is_script_name() (wire.h) wants of each part of a name, as hints say it. Names of targets, tokens and machines
// are made the same way.
#pragma once

namespace band {

inline constexpr const char* kNameRule = "1 to 64 of A-Z a-z 0-9 . _ -, the first a letter or digit";

}  // namespace band
