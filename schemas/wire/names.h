// The form of each part of a script name (is_script_name() in wire.h), as text for hints. Names of targets, tokens and
// machines have the same form.
#pragma once

namespace band {

inline constexpr const char* kNameRule = "1 to 64 of A-Z a-z 0-9 . _ -, the first a letter or digit";

}  // namespace band
